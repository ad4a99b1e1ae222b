(file) => {
  const { appendFileSync, openSync, writeSync } = (process.getBuiltinModule || require)("fs");
  const { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect, { stringify } = JSON, later = setTimeout;
  let parts = 0, busy = false;

  const text = (value, copied, depth = 0) => {
    const inner = (each) => text(each, copied, depth + 1);
    parts += 1;
    if (parts > 3000 || depth > 30) throw new TypeError("too large");
    switch (typeof value) {
      case "undefined": return "undefined";
      case "boolean": return value ? "True" : "False";
      case "number": return Object.is(value, -0) ? "-0.0" : `${value}`;
      case "bigint": return `BigInt("${value}")`;
      case "string": return stringify(value);
    }
    if (value === null) return "None";
    if (Array.isArray(value)) return `[${Array.from(value, inner).join(", ")}]`;
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (kind === "Date") return `Date(${Date.prototype.getTime.call(value)})`;
    if (kind === "RegExp") return `RegExp(${stringify(value.source)}, ${stringify(value.flags)})`;
    if (kind === "Map" || kind === "Set") return `${kind}([${Array.from(value, inner).join(", ")}])`;
    const up = getPrototypeOf(value), plain = up === null || getPrototypeOf(up) === null;
    const told = ownKeys(value).map((key) => [key, getOwnPropertyDescriptor(value, key)]);
    const known = told.filter(([key, each]) => typeof key === "string" && each.enumerable && "value" in each);
    const whole = plain && known.length === told.length && known.every(([key]) => key !== "__proto__");
    if (copied && (typeof value === "function" || !whole)) throw new TypeError("not copied");
    if (plain) return `{${known.map(([key, each]) => `${stringify(key)}: ${inner(each.value)}`).join(", ")}}`;
    const name = kind === "Object" ? up.constructor?.name : kind, word = /^[A-Za-z_]\w*$/;
    const own = known.filter(([key]) => word.test(key)).map(([key, each]) => `${key}=${inner(each.value)}`);
    return `${word.test(name) ? name : "Unnamed"}(${own.join(", ")})`;
  };

  const record = (path, name, made, outermost = true) => {
    const callable = typeof made === "function", source = callable ? Function.prototype.toString.call(made) : "";
    const kind = source.startsWith("class") ? "class" : source.endsWith("{ [native code] }") ? "foreign" : "own";
    const holds = made && kind !== "foreign" && (kind === "class" || (outermost && (callable || typeof made === "object")));
    for (const key of holds ? ownKeys(made) : []) {
      const { value, writable } = getOwnPropertyDescriptor(made, key);
      if (typeof value === "function" && writable && typeof key === "string" && key !== "prototype") {
        made[key] = record(path, name ? `${name}.${key}` : key, value, false);
      }
    }
    for (const key of kind === "class" ? ownKeys(made.prototype) : []) {
      const { value, writable } = getOwnPropertyDescriptor(made.prototype, key);
      if (typeof value === "function" && writable && typeof key === "string" && key !== "constructor") {
        made.prototype[key] = record(path, `${name}.prototype.${key}`, value, false);
      }
    }
    if (!callable || kind !== "own") return made;
    let left = 300;
    const note = (self, given) => {
      const deepest = Error.stackTraceLimit;
      busy = true, left -= 1, parts = 0;
      try {
        Error.stackTraceLimit = 30;
        const places = new Error().stack.match(/\/work\/[^\s:()]+:\d+/g) || [];
        const own = name.includes(".prototype.") ? text({ ...self }, true) : "";
        appendFileSync(file, `${stringify([path, name, own, given.map((each) => text(each, true)).join(", "), places])}\n`);
      } catch {}
      Error.stackTraceLimit = deepest, busy = false;
    };
    return new Proxy(made, {
      apply(target, self, given) {
        if (left > 0 && !busy) note(self, given);
        return apply(target, self, given);
      },
    });
  };

  const load = async (path) => {
    try {
      return require(path);
    } catch {
      return import(path);
    }
  };

  const make = async (paths, calls) => {
    let to;
    try {
      to = openSync(file, "wx");
    } catch {
      return;
    }
    const modules = {}, late = {}, as = { True: true, False: false, None: null };
    for (const [name, path] of paths) modules[name] = await load(path).catch(() => late);
    as.made = (kind, fields) => Object.assign(Object.create(kind.prototype), fields);
    Object.assign(as, { Date: (at) => new Date(at), Map: (all) => new Map(all), Set: (all) => new Set(all) });
    for (const call of calls) {
      let ended = ["died", ""];
      parts = 0;
      if (modules[/^\w+/.exec(call)[0]] !== late) {
        try {
          const begun = new Function(...Object.keys(modules), ...Object.keys(as), `return ${call}`);
          const value = await Promise.race([begun(...Object.values(modules), ...Object.values(as)), new Promise((end) => later(end, 1000, late))]);
          if (value !== late) ended = ["returned", value];
        } catch (error) {
          ended = ["raised", error?.constructor?.name];
        }
      }
      try {
        ended = [ended[0], ended[0] === "returned" ? text(ended[1], false) : `${ended[1]}`];
      } catch {
        ended = ["died", ""];
      }
      writeSync(to, `${stringify(ended)}\n`);
    }
  };

  return { record, make };
}
