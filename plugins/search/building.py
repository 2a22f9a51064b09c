"""A whole build: read a source, write the index beside the old one, put it in its place."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from plugins.schema.builders.progress import Progress
from plugins.search.facts import Facts
from plugins.search.folder import BUILDING, Sealed, alone, seal
from plugins.search.gather import RUN_IRIS, Gather
from plugins.search.profile import Profile
from plugins.search.sources import Source
from plugins.search.writing import COMMIT_RECORDS, Records, Writer
from proxy.errors import UsageError


async def build(
    source: Source,
    profile: Profile,
    out: Path,
    progress: Progress,
    *,
    run_iris: int = RUN_IRIS,
    commit_records: int = COMMIT_RECORDS,
) -> Sealed:
    """Build an index in a folder, going on where an earlier build of the same source was interrupted.

    Raises UsageError where another process builds there, or where nothing has a name; ConfigError, ProxyError.
    """
    with alone(out) as free:
        if not free:
            raise UsageError(f"{out}: another process builds there; wait for it, or name another folder")
        return await _build(source, profile, out, progress, run_iris, commit_records)


async def _build(
    source: Source, profile: Profile, out: Path, progress: Progress, run_iris: int, commit_records: int
) -> Sealed:
    folder = out / BUILDING
    gather = Gather(folder / "runs", f"{source.name} {profile}", run_iris)
    if gather.resumed:
        progress.say("going on with a build that was interrupted")
    else:
        # Records that were written belong to other runs.
        shutil.rmtree(folder / "index", ignore_errors=True)
    reading = profile.reader()
    if not gather.whole:
        await source.read(gather, Facts(gather, reading), progress)
    progress.part("writing names")
    writer = await asyncio.to_thread(Writer, folder / "index", commit_records)
    records = Records(gather, reading, writer, progress)
    while await asyncio.to_thread(records.step):
        pass
    await asyncio.to_thread(writer.close)
    progress.end()
    if not writer.done:
        shutil.rmtree(folder)
        raise UsageError("nothing in this graph has a name that the profile knows; name predicates with --label IRI")
    sealed = await asyncio.to_thread(
        seal, out, folder / "index", profile.graph, records.counts, profile.languages, profile.namespaces
    )
    shutil.rmtree(folder)
    return sealed
