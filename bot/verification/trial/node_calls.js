(file) => {
  const { appendFileSync, openSync, writeSync } = (process.getBuiltinModule || require)("fs");
  const { replaceAll } = String.prototype, { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect, { stringify } = JSON, timer = setTimeout;
  const since = performance.now.bind(performance);
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

  /* The functions of the language and of its modules, by name. */
  const builtins = () => {
    const its = new Map(), module = process.getBuiltinModule || require;
    const note = (name, made, depth) => {
      for (const key of made && /^(object|function)$/.test(typeof made) ? ownKeys(made) : []) {
        const each = getOwnPropertyDescriptor(made, key), whole = `${name}${String(key)}`;
        if (typeof each.value === "function") its.set(whole, each.value);
        if (depth > 1 || (depth && key === "prototype")) note(`${whole}.`, each.value, depth - 1);
      }
    };
    note("", globalThis, 2);
    const named = ["assert", "assert/strict", "buffer", "child_process", "crypto", "dns", "events", "fs", "fs/promises", "http", "https", "net"];
    named.push("os", "path", "perf_hooks", "querystring", "stream", "string_decoder", "timers", "tls", "url", "util", "vm", "zlib", "test");
    for (const name of named) note(`${name}.`, module(`node:${name}`), 1);
    return its;
  };

  const load = async (path) => {
    try {
      return require(path);
    } catch {
      return import(path);
    }
  };

  /* Another machine, whose name no program can know. */
  const there = Math.random().toString(36).slice(2), here = (process.getBuiltinModule || require)("os").hostname();

  /* Other surroundings, and later ones with each call: a process that began ten years ago on another machine. */
  const moved = () => {
    let passed = 0;
    const real = Date, { now } = Date, { uptime, hrtime } = process;
    const later = () => now() + passed, fine = (passed) => BigInt(Math.round(passed * 1e6));
    const os = (process.getBuiltinModule || require)("os"), up = os.uptime;
    globalThis.Date = new Proxy(real, {
      apply: () => `${new real(later())}`,
      construct: (kind, given, made) => Reflect.construct(kind, given.length ? given : [later()], made),
      get: (kind, key) => (key === "now" ? later : kind[key]),
    });
    performance.now = () => since() + passed;
    process.uptime = () => apply(uptime, process, []) + passed / 1e3;
    const bigint = hrtime.bigint.bind(hrtime), seconds = () => Math.floor(passed / 1e3);
    process.hrtime = Object.assign((last) => hrtime(last).map((each, at) => each + (at || last ? 0 : seconds())), {
      bigint: () => bigint() + fine(passed),
    });
    for (const key of ["pid", "ppid"]) Object.defineProperty(process, key, { value: process[key] + 30011 });
    Object.assign(os, { uptime: () => up() + passed / 1e3, hostname: () => there, freemem: () => 3e10, loadavg: () => [7, 6, 5] });
    const dns = (process.getBuiltinModule || require)("dns");
    for (const its of [dns, dns.promises]) {
      const { lookup } = its;
      its.lookup = (name, ...given) => apply(lookup, its, [name === there ? here : name, ...given]);
    }
    return () => (passed = Math.max(passed, 3650 * 86400e3) + 26434.5e3);
  };

  const make = async (paths, calls, elsewhere) => {
    let to;
    const known = builtins();
    try {
      to = openSync(file, "wx");
    } catch {
      return;
    }
    const modules = {}, late = {}, pass = elsewhere ? moved() : () => 0, as = { True: true, False: false, None: null };
    for (const [name, path] of paths) modules[name] = await load(path).catch(() => late);
    as.replaced = () => [...builtins()].filter(([name, each]) => known.has(name) && known.get(name) !== each).map(([name]) => name);
    as.made = (kind, fields) => Object.assign(Object.create(kind.prototype), fields);
    Object.assign(as, { Date: (at) => new Date(at), Map: (all) => new Map(all), Set: (all) => new Set(all) });
    const end = async (call) => {
      let ended = ["died", ""];
      parts = 0;
      if (modules[/^\w+/.exec(call)[0]] !== late) {
        try {
          const begun = new Function(...Object.keys(modules), ...Object.keys(as), `return ${call}`);
          const value = await Promise.race([begun(...Object.values(modules), ...Object.values(as)), new Promise((end) => timer(end, 1000, late))]);
          if (value !== late) ended = ["returned", value];
        } catch (error) {
          ended = ["raised", error?.constructor?.name];
        }
      }
      try {
        return [ended[0], apply(replaceAll, ended[0] === "returned" ? text(ended[1], false) : `${ended[1]}`, [there, here])];
      } catch {
        return ["died", ""];
      }
    };
    const often = async (call, first) => {
      const until = since() + 10;
      for (let count = 0; count < 1000 && since() < until; count += 1) {
        pass();
        const ended = await end(call);
        if (`${ended}` !== `${first}`) return ended;
      }
      return first;
    };
    const all = [];
    for (const call of calls) {
      pass();
      all.push(await end(call));
      if (!elsewhere) writeSync(to, `${stringify(all.at(-1))}\n`);
    }
    if (elsewhere) for (const at in calls) writeSync(to, `${stringify(await often(calls[at], all[at]))}\n`);
  };

  return { record, make };
}
