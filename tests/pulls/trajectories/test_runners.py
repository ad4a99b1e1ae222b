"""Which commands run tests."""

import pytest

from bot.pulls.trajectories.purpose import runs_tests
from bot.pulls.trajectories.shell import pipelines

TESTS = """
pytest
pytest -q tests/test_a.py::test_b
/venv/bin/pytest
python -m pytest
python3 -m unittest discover
cd api && PYTHONPATH=. timeout 60 python -m pytest -x
bash -lc "cd web && npm test"
tox -e py311
nox -s tests
python manage.py test shop
python -m django test
./manage.py test
python setup.py test
python tests/runtests.py admin_views
./tests/runtests.py
bin/test sympy/core
python test_parser.py
python -m doctest -v a.py
coverage run -m pytest
poetry run pytest
hatch test
uv run pytest -q
npm test
npm t
npm run test:unit -- --watch=false
npm run-script test
yarn test
yarn workspace api test
yarn jest src
pnpm test
pnpm -r test
pnpm --filter web test
pnpm exec vitest run
bun test
npx jest
npx mocha --grep x
node --test
node tests/run_tests.js
deno test
npx playwright test
nx run-many -t test
turbo run test
go test ./...
gotestsum ./...
cargo test
cargo +nightly test --all
cargo nextest run
mvn -q test
./mvnw verify
mvn -pl core -am test
gradle test
./gradlew :core:test --info
./gradlew check
./gradlew integrationTest
sbt "testOnly *Foo"
lein test
mix test
dotnet test
swift test
flutter test
make test
make -j4 check
make -C src test-unit
ninja check
just test
rake test
bundle exec rake spec
rails test
rspec spec/a_spec.rb
ruby -Itest test/a_test.rb
vendor/bin/phpunit
php artisan test
composer test
ctest --output-on-failure
meson test
bazel test //...
bazelisk test //a:b
prove -l t
bats test.bats
docker compose run --rm web pytest
find . -name 'test_*.py' | xargs pytest
"""

NO_TESTS = """
test -f pytest.ini
[ -d tests ]
ls tests
cat tests/test_a.py
grep -rn pytest .
which pytest
pip install pytest
pip install -r requirements-test.txt
pytest --version
pytest --collect-only -q
pytest --help
npm install jest
npm install --save-dev mocha
npm run build
npm ci
yarn add vitest
yarn build
go build ./...
go vet ./...
go run ./cmd/test
cargo build
cargo run test
cargo test --no-run
cargo check
mvn -q compile
mvn package -DskipTests
gradle assemble
make
make build
make -n test
make TEST=1 all
bazel build //...
ctest -N
git log --grep=test
git checkout -b test
python app.py
python -c "import pytest"
python reproduce.py
node index.js
echo pytest
mkdir tests
rm -rf tests
docker build -t test .
ruff check tests
vim test_a.py
"""


@pytest.mark.parametrize("line", TESTS.strip().splitlines())
def test_runs_tests(line: str) -> None:
    assert any(runs_tests(command) for commands in pipelines(line) for command in commands)


@pytest.mark.parametrize("line", NO_TESTS.strip().splitlines())
def test_runs_none(line: str) -> None:
    assert not any(runs_tests(command) for commands in pipelines(line) for command in commands)
