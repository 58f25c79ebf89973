import { Effect } from "effect"
import { execFile } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { lastRelease, run } from "../process/Programs.ts"
import { NO_RELEASE } from "./LastVersion.ts"
import { NEW_SOURCES, type Patch, PATCHES } from "./NextRelease.ts"

const execute = promisify(execFile)

/** Sources that `scripts/build.mjs --service` needs. */
const SOURCES = ["src", "scripts", "package.json", "package-lock.json"]

const LOCK = "package-lock.json"

const linkModules = (folder: string) => symlinkSync(resolve("node_modules"), join(folder, "node_modules"))

const build = (folder: string) => execute(process.execPath, ["scripts/build.mjs", "--service"], { cwd: folder })

const applyPatch = (folder: string, { file, find, put }: Patch) => {
  const path = join(folder, file)
  const parts = readFileSync(path, "utf8").split(find)
  if (parts.length !== 2) {
    throw new Error(
      `${file} has ${JSON.stringify(find)} ${parts.length - 1} times, not once. Mend test/support/releases/NextRelease.ts`
    )
  }
  writeFileSync(path, parts.join(put))
}

/** Builds the service of the next release from the present sources, and returns its folder. */
export const buildNextRelease = Effect.promise(async () => {
  const folder = mkdtempSync(join(tmpdir(), "next-release-"))
  for (const source of SOURCES) cpSync(source, join(folder, source), { recursive: true })
  linkModules(folder)
  for (const [file, text] of Object.entries(NEW_SOURCES)) writeFileSync(join(folder, file), text)
  for (const patch of PATCHES) applyPatch(folder, patch)
  await execute(process.execPath, ["scripts/hash-migrations.mjs"], { cwd: folder })
  await build(folder)
  return folder
})

/** Builds the release of a commit, once for all runs on this machine, and returns its folder. */
const buildCommit = async (commit: string) => {
  // The temporary folder of the run is deleted with it.
  const target = join(dirname(tmpdir()), `partner-api-release-${commit}`)
  if (existsSync(target)) return target
  const folder = `${target}-${process.pid}`
  mkdirSync(folder)
  try {
    const archive = join(folder, "sources.tar")
    await run("git", ["archive", "--output", archive, commit, ...SOURCES])
    await run("tar", ["-xf", archive, "-C", folder])
    if (readFileSync(join(folder, LOCK), "utf8") === readFileSync(LOCK, "utf8")) linkModules(folder)
    else await execute("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder })
    await build(folder)
    renameSync(folder, target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return target
}

/** Builds the last release, and returns its folder. Before the second release, that of the present sources. */
export const buildLastRelease = Effect.promise(async () => {
  const commit = lastRelease ?? NO_RELEASE
  return commit === NO_RELEASE ? "." : buildCommit(commit)
})
