# Every target makes what it needs: .venv is created by the first one, from any Python 3.11 or newer.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help grade test notebooks lab lint types bench bench-grader bench-emulator bench-watch readme address \
	wheel site

LESSON ?=
KERNEL ?=
PYTHON ?=
OFFLINE ?=
JOBS ?= 4
FRESH ?=
RUN := .venv/bin

help:
	@echo "make grade                          grade the reference kernel of every lesson"
	@echo "make grade LESSON=01                grade the reference kernel of one lesson"
	@echo "make grade LESSON=01 KERNEL=my.cu   grade one file"
	@echo "make lab                            open the notebooks in JupyterLab"
	@echo "make test                           run the tests (JOBS=$(JOBS) at a time; SLOW=1 runs the long tail, too, and"
	@echo "                                    SLOW=2 all there are; FRESH=1 takes no grade from an earlier run)"
	@echo "make notebooks                      execute the notebooks again, in place (LESSON=01: that one)"
	@echo "make lint                           check the style of the Python code"
	@echo "make types                          check the types of the Python code"
	@echo "make bench                          time and plot the rungs of every lesson, on a GPU"
	@echo "make bench LESSON=01                time and plot the rungs of one lesson"
	@echo "make bench-grader                   measure how long a verdict takes"
	@echo "make bench-emulator                 measure what counting, and waiting between blocks, costs the emulator"
	@echo "make bench-watch                    measure how long a save waits for its verdict"
	@echo "make readme                         renew what README.md shows of the program, and measured numbers"
	@echo "make address                        renew all badges and links after the repository's address has changed"
	@echo "make wheel                          build the wheel and the sdist, and try the wheel in an empty environment"
	@echo "make site                           build the site into build/site/: lessons, notebooks, pages, with search"
	@echo "Set PYTHON=python3.12 to choose the interpreter that .venv is made from, OFFLINE=1 to fetch nothing, and"
	@echo "LADDER_TORCH=cpu or cuda to choose torch's build, which is the CPU build where there is no NVIDIA driver."

grade: .venv/.ready
ifneq ($(KERNEL),)
	@$(if $(LESSON),,echo "make grade: say which lesson it is for: make grade LESSON=01 KERNEL=$(KERNEL)" >&2; exit 2)
	@$(RUN)/ladder check $(LESSON) "$(KERNEL)"
else
	@$(RUN)/ladder check $(or $(LESSON),--all) --reference
endif

# The tests and the notebooks together, so that both processors are busy to the end (notebooks/conftest.py hands them out).
# The types are one of all the tests there are (SLOW=2). Hundreds of processes import the project: they may keep what they have compiled.
test: .venv/.ready-dev
	@$(if $(FRESH),LADDER_TESTS_FRESH=1) env -u PYTHONDONTWRITEBYTECODE $(RUN)/python -m pytest -q -n $(JOBS) $(NBVAL) $(TIER) tests notebooks

TIER = $(if $(SLOW),$(if $(filter 2,$(SLOW)),,-m "not whole"),-m "not slow")

# Each cell is run again and compared with what is committed.
NBVAL := --nbval --nbval-current-env --nbval-sanitize-with notebooks/sanitise.cfg \
	--nbval-cell-timeout=300 --nbval-kernel-startup-timeout=180

notebooks: .venv/.ready-dev
	@$(RUN)/python -m docs.notebooks $(LESSON)

lab: .venv/.ready-lab
	@$(RUN)/jupyter lab notebooks

lint: .venv/.ready-dev
	@$(RUN)/ruff check . && $(RUN)/ruff format --check .

# A second, but twenty where there is no .mypy_cache yet.
types: .venv/.ready-dev
	@$(RUN)/mypy

bench: .venv/.ready
	@code=0; for lesson in $(or $(LESSON),$(sort $(patsubst lessons/%/lesson.py,%,$(wildcard lessons/0[1-9]*/lesson.py lessons/[1-9]*/lesson.py)))); do \
		$(RUN)/ladder bench $$lesson || code=$$?; \
		[ $$code -lt 2 ] || break; \
	done; exit $$code

bench-grader: .venv/.ready
	@$(RUN)/python benchmarks/bench_grader.py

bench-emulator: .venv/.ready
	@$(RUN)/python -m benchmarks.emulator && $(RUN)/python -m benchmarks.between_blocks

bench-watch: .venv/.ready
	@$(RUN)/python benchmarks/watch.py

readme: .venv/.ready
	@$(RUN)/python -m docs.readme && $(RUN)/python -m docs.metrics && $(RUN)/python -m docs.numbers && $(RUN)/python -m docs.grading && $(RUN)/python -m docs.structure

# From pyproject.toml's [project.urls]; nothing is executed.
address: .venv/.ready-dev
	@$(RUN)/python -m docs.renew

# Pages of the repository's own; nothing is executed, and no page asks another host.
site: .venv/.ready-dev
	@$(RUN)/python -m docs.site

# The wheel is built from the sdist, so that both are whole.
wheel: .venv/.ready-dev
	@rm -rf dist && $(RUN)/python -m build --no-isolation --outdir dist . && .ci/try-wheel $(RUN)/python dist/*.whl

.venv/.ready: pyproject.toml constraints.txt
	@$(call install)

.venv/.ready-dev: pyproject.toml constraints.txt
	@$(call install,--extra dev --extra site)
	@touch .venv/.ready

.venv/.ready-lab: pyproject.toml constraints.txt
	@$(call install,--extra notebooks)
	@touch .venv/.ready

# Without torch, after `pip uninstall torch` for another build of it, all is set up again.
ifeq ($(wildcard .venv/lib/python*/site-packages/torch/version.py),)
.PHONY: .venv/.ready .venv/.ready-dev .venv/.ready-lab
endif

# $(1): which extras. The stamp, touched last, makes the second run fast and a broken first one start again.
define install
command -v g++ > /dev/null || { echo "make: there is no g++: install it, for example with \`sudo apt install g++\`" >&2; exit 2; }; \
python=; \
for candidate in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11); do \
	"$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null && { python=$$candidate; break; }; \
done; \
[ -n "$$python" ] || { echo "make: there is no Python 3.11 or newer here: install one, or name it with PYTHON=/path/to/python" >&2; exit 2; }; \
"$$python" -m grader.faces.install $(1) $(if $(OFFLINE),--offline) && touch $@
endef
