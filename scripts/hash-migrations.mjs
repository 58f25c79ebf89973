// Writes src/layers/migrations/hashes.json: the SHA-256 of the files of each migration. --check: only compares. Fails if a
// migration differs from that of a release, whose hashes are in test/data/releases/<version>/migrations.json. An argument
// names another root folder.
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const isCheck = process.argv.includes("--check")
const root =
  process.argv.slice(2).find((argument) => !argument.startsWith("--")) ?? fileURLToPath(new URL("..", import.meta.url))
const folder = join(root, "src/layers/migrations")
const target = join(folder, "hashes.json")
const releases = join(root, "test/data/releases")

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"))

/** Files of a migration: its own, and those of the folder with its name without the number. */
const filesOf = (key) => {
  const parts = join(folder, key.slice(5))
  const names = existsSync(parts) ? readdirSync(parts, { recursive: true, withFileTypes: true }) : []
  const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return [join(folder, `${key}.ts`), ...paths.toSorted()]
}

const hashOf = (key) => {
  const hash = createHash("sha256")
  for (const path of filesOf(key)) {
    // Git may check out other ends of lines.
    const text = readFileSync(path, "utf8").replaceAll("\r\n", "\n")
    hash.update(`${relative(folder, path).replaceAll("\\", "/")}\0${text}\0`)
  }
  return hash.digest("hex")
}

const hashes = Object.fromEntries(
  readdirSync(folder)
    .filter((name) => /^\d{4}_.*\.ts$/.test(name))
    .toSorted()
    .map((name) => name.slice(0, -3))
    .map((key) => [key, hashOf(key)])
)

/** Lists migrations of a release that are missing or changed, and new ones with the number of an older one. */
const listChanges = (version) => {
  const path = join(releases, version, "migrations.json")
  if (!existsSync(path)) return [`Release ${version} has no migrations.json in test/data/releases/${version}`]
  const released = readJson(path)
  const newest = Object.keys(released).toSorted().at(-1) ?? ""
  return [
    ...Object.entries(released)
      .filter(([key, hash]) => hashes[key] !== hash)
      .map(([key]) =>
        key in hashes
          ? `${key} differs from that of release ${version}. Restore its files, and make the change in a new migration`
          : `${key} of release ${version} is missing. Restore its files`
      ),
    ...Object.keys(hashes)
      .filter((key) => !(key in released) && key < newest)
      .map((key) => `${key} is not part of release ${version}. Give it a number after ${newest}`)
  ]
}

const problems = existsSync(releases) ? readdirSync(releases).flatMap(listChanges) : []
const text = `${JSON.stringify(hashes, null, 2)}\n`
if (!isCheck) {
  if (problems.length === 0) writeFileSync(target, text)
} else if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
  problems.push("src/layers/migrations/hashes.json does not fit the migrations. Run: npm run generate")
}
for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0) process.exitCode = 1
