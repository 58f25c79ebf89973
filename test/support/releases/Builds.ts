import { Effect } from "effect"
import { execFile, spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import packageJson from "../../../package.json" with { type: "json" }
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

const RELEASES = "test/data/releases"

const partsOf = (version: string) => version.split(".").map(Number)

const isBefore = (one: string, other: string) => {
  const [left, right] = [partsOf(one), partsOf(other)]
  const index = left.findIndex((part, at) => part !== right[at])
  return index >= 0 && (left[index] ?? 0) < (right[index] ?? 0)
}

/** Version of the last release before this one; undefined before the second release. */
const lastVersion = (): string | undefined =>
  (existsSync(RELEASES) ? readdirSync(RELEASES) : [])
    .filter((name) => /^\d+\.\d+\.\d+$/.test(name) && isBefore(name, packageJson.version))
    .toSorted((a, b) => (isBefore(a, b) ? 1 : -1))[0]

/** Commit of the tag of a release. */
const commitOf = (version: string): string | undefined => {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--verify", "--quiet", `v${version}^{commit}`], {
    encoding: "utf8"
  })
  return status === 0 ? stdout.trim() : undefined
}

/** Builds the release of a commit, once for all runs on this machine, and returns its folder. */
const buildCommit = async (commit: string) => {
  // The temporary folder of the run is deleted with it.
  const target = join(dirname(tmpdir()), `partner-api-release-${commit}`)
  if (existsSync(target)) return target
  const folder = `${target}-${process.pid}`
  mkdirSync(folder)
  try {
    const archive = join(folder, "sources.tar")
    await execute("git", ["archive", "--output", archive, commit, ...SOURCES])
    await execute("tar", ["-xf", archive, "-C", folder])
    if (readFileSync(join(folder, LOCK), "utf8") === readFileSync(LOCK, "utf8")) linkModules(folder)
    else await execute("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder })
    await build(folder)
    renameSync(folder, target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return target
}

/** Commit of the last release, none before the second release; undefined if the history lacks it. */
const lastRelease = ((): { readonly commit?: string } | undefined => {
  const version = lastVersion()
  if (version === undefined) return {}
  const commit = commitOf(version)
  return commit === undefined ? undefined : { commit }
})()

/** True if the history lacks the tag of the last release. */
export const isReleaseMissing = lastRelease === undefined

/** Builds the last release, and returns its folder. Before the second release, that of the present sources. */
export const buildLastRelease = Effect.promise(async () =>
  lastRelease?.commit === undefined ? "." : buildCommit(lastRelease.commit)
)
