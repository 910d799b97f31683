# Everything a person or a CI machine needs: `make demo`, `make test`, `make check`.
PYTHON ?= python3

.PHONY: setup demo test check slow format docs picture lock battery bench clean

setup: .venv/.done

.venv/.done: requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	.venv/bin/python -m compileall -q -j 2 src .venv/lib/python*/site-packages -x 'site-packages/(mypy|numpy|openai|anthropic|uv)/' || true
	@touch .venv/.done

demo: .venv-demo/.done
	@.venv-demo/bin/commonplace demo $(if $(TRANSCRIPT),"$(TRANSCRIPT)")

# What commonplace needs at run time and nothing else.
.venv-demo/.done: requirements-run.txt pyproject.toml
	$(PYTHON) -m venv .venv-demo
	.venv-demo/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-run.txt
	.venv-demo/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch .venv-demo/.done

# The tests' files lie in memory where there is room for them: what the tests show does not depend on the disk.
export PYTEST_DEBUG_TEMPROOT ?= $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 4000000 {print "/dev/shm"}')

# Test modules that did not change are not prepared again.
test slow battery: export PYTHONDONTWRITEBYTECODE =

test: setup
	PYTHONWARNDEFAULTENCODING=1 .venv/bin/python -m pytest -n 2 --dist worksteal --durations=10

check: setup
	.venv/bin/ruff format --check src tests docs bench
	.venv/bin/ruff check src tests docs bench
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo

format: setup
	.venv/bin/ruff format src tests docs bench
	.venv/bin/ruff check --fix src tests docs bench

docs: setup
	.venv/bin/python docs/generate.py

picture: setup
	.venv/bin/python docs/generate.py --picture

# What is left out of `make test` for its time.
slow: setup
	PYTHONWARNDEFAULTENCODING=1 .venv/bin/python -m pytest -n 2 --dist worksteal -m slow --durations=10

battery: setup
	COMMONPLACE_BATTERY=full .venv/bin/python -m pytest -n 2 -m battery

bench: .venv-bench/.done
	PYTHONPATH=src .venv-bench/bin/python bench/run.py $(BENCH)

.venv-bench/.done: requirements-bench.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.txt
	@touch .venv-bench/.done

lock:
	$(PYTHON) -m pip install --quiet uv
	uv pip compile --quiet pyproject.toml --group dev --generate-hashes --universal --python-version 3.11 \
		--no-header --no-emit-index-url --no-annotate -o requirements.txt
	uv pip compile --quiet pyproject.toml --generate-hashes --universal --python-version 3.11 \
		--no-header --no-emit-index-url --no-annotate --constraint requirements.txt -o requirements-run.txt
	uv pip compile --quiet pyproject.toml --group bench --generate-hashes --universal --python-version 3.11 \
		--no-header --no-emit-index-url --no-annotate -o requirements-bench.txt

clean:
	rm -rf .venv .venv-demo .venv-bench .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
