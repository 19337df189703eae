"""The steps of one task as a LangGraph graph, made as fast as they go.

Started with the steps as JSON and the path of a database that is not there yet. Each line of input, `WAY TASKS`, asks for so
many tasks; each answer is one line of JSON with the steps that were made and the seconds they took.

The graph has a node for every kind of step. A node returns the record that our engine writes for the step, known beforehand,
and nothing else; a conditional edge behind every node decides which one is next. The state is the record of the last step and
where in the task it stands: it does not grow, so a checkpoint holds what one of our records holds. A task is a thread of its
own. Every checkpoint the saver keeps is counted as a step, also the two that LangGraph keeps of a task's input.
"""

import importlib.metadata
import json
import os
import sqlite3
import sys
import time
from typing import Any, TypedDict

os.environ["LANGSMITH_TRACING"] = "false"

from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402
from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: E402
from langgraph.graph import END, START, StateGraph  # noqa: E402


class State(TypedDict):
    """The record of the last step, and its place."""

    at: int
    record: dict[str, Any]


def graph_of(steps: list[dict[str, Any]], saver: Any) -> Any:
    """A graph that makes the steps behind the first, which is the input."""
    names = [step["step"] for step in steps]
    records = [step["record"] for step in steps]

    def decide(state: State) -> str:
        following = state["at"] + 1
        return names[following] if following < len(names) else END

    def node(state: State) -> State:
        following = state["at"] + 1
        return {"at": following, "record": records[following]}

    followers: dict[str, set[str]] = {START: {names[1]}}
    for name, follower in zip(names[1:], [*names[2:], END]):
        followers.setdefault(name, set()).add(follower)
    builder = StateGraph(State)
    for name in followers:
        if name != START:
            builder.add_node(name, node)
    for name, reachable in followers.items():
        builder.add_conditional_edges(name, decide, sorted(reachable))
    return builder.compile(checkpointer=saver)


class Tasks:
    """Tasks under names that were never used before."""

    def __init__(self, steps: list[dict[str, Any]]) -> None:
        self.steps = steps
        self.named = 0

    def run(self, saver: Any, durability: str, tasks: int) -> dict[str, Any]:
        """Runs so many tasks, and counts what the saver kept once the clock has stopped."""
        graph = graph_of(self.steps, saver)
        last = len(self.steps) - 1
        configs = []
        for _ in range(tasks):
            self.named += 1
            configurable = {"thread_id": f"T-pace-{self.named:06}"}
            configs.append({"configurable": configurable, "recursion_limit": last + 10})
        begun, on_processor = time.perf_counter(), time.process_time()
        for config in configs:
            first = {"at": 0, "record": self.steps[0]["record"]}
            ended = graph.invoke(first, config, durability=durability)
            if ended["at"] != last:
                raise RuntimeError(f"the graph ended at step {ended['at']} of {last}")
        seconds, on_processor = time.perf_counter() - begun, time.process_time() - on_processor
        kept = sum(1 for config in configs for _ in saver.list(config))
        if kept < tasks * len(self.steps):
            raise RuntimeError(f"only {kept} checkpoints were kept")
        return {"steps": kept, "seconds": seconds, "processor_seconds": on_processor}


def opened(path: str, synchronous: str | None) -> SqliteSaver:
    """A database as the checkpointer sets it up; how far it syncs is as it is by default unless that is named."""
    connection = sqlite3.connect(path, check_same_thread=False)
    if synchronous is not None:
        connection.execute(f"PRAGMA synchronous={synchronous}")
    saver = SqliteSaver(connection)
    saver.setup()
    return saver


def about(saver: SqliteSaver) -> dict[str, Any]:
    """Whom the figures are of."""
    version = importlib.metadata.version
    pragma = lambda name: saver.conn.execute(f"PRAGMA {name}").fetchone()[0]  # noqa: E731
    return {
        "langgraph": version("langgraph"),
        "checkpoint_sqlite": version("langgraph-checkpoint-sqlite"),
        "checkpoint": version("langgraph-checkpoint"),
        "python": ".".join(map(str, sys.version_info[:3])),
        "sqlite": sqlite3.sqlite_version,
        "journal_mode": pragma("journal_mode"),
        "synchronous": pragma("synchronous"),
    }


def main() -> None:
    """Answers one line after the other until there are no more."""
    with open(sys.argv[1], encoding="utf-8") as file:
        tasks = Tasks(json.load(file))
    for path in (sys.argv[2], f"{sys.argv[2]}.full"):
        for leftover in (path, f"{path}-wal", f"{path}-shm"):
            if os.path.exists(leftover):
                os.remove(leftover)
    default, full = opened(sys.argv[2], None), opened(f"{sys.argv[2]}.full", "FULL")
    for line in sys.stdin:
        way, count = line.split()
        if way == "about":
            answer = about(default)
        elif way == "full":
            answer = tasks.run(full, "sync", int(count))
        elif way == "default":
            answer = tasks.run(default, "sync", int(count))
        else:
            # A fresh one each time: what earlier rounds left in memory is not theirs to carry.
            answer = tasks.run(InMemorySaver(), way.removeprefix("memory-"), int(count))
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
