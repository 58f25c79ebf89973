import { Data, Effect, Option } from "effect"
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from "node:child_process"
import { lchownSync, lstatSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Binaries, copyBinaries, findBinaries } from "./Binaries.ts"
import { tryStep, type EmbeddedPostgresFailed, formatReason } from "./EmbeddedPostgresFailed.ts"

interface Ids {
  readonly uid: number
  readonly gid: number
}

/** The account that runs the server's programs and owns its files. */
export interface Account {
  readonly name: string
  /** None for the account of this process. */
  readonly ids: Option.Option<Ids>
}

const self: Account = { name: "this account", ids: Option.none() }

/**
 * The programs get a path and a plain locale: none of our variables, which may hold secrets, and no `PG*` ones. Their
 * working folder is `/`, since the account may not be able to enter ours.
 */
const surroundings = ({ ids }: Account) => ({
  ...Option.getOrUndefined(ids),
  cwd: "/",
  env: { PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" }
})

/** Runs a program to its end. */
export const runAs = (account: Account, program: string, args: ReadonlyArray<string>) =>
  spawnSync(program, args, { ...surroundings(account), encoding: "utf8" })

/**
 * Starts a program that outlives us if need be. `detached` gives it a session of its own: a Ctrl-C in the terminal
 * reaches the whole process group and would otherwise stop the database under the requests that are being finished.
 */
export const startAs = (
  account: Account,
  program: string,
  args: ReadonlyArray<string>,
  stdio: StdioOptions
): ChildProcess => spawn(program, args, { ...surroundings(account), detached: true, stdio })

/** An account by name or number, `none` where there is none of that name, or it is root. */
const lookup = (nameOrUid: string): Option.Option<Account> => {
  const id = (flag: string) => Number.parseInt(runAs(self, "id", [flag, nameOrUid]).stdout ?? "", 10)
  const [uid, gid] = [id("-u"), id("-g")]
  return Number.isInteger(uid) && Number.isInteger(gid) && uid > 0
    ? Option.some({ name: `account ${nameOrUid}`, ids: Option.some({ uid, gid }) })
    : Option.none()
}

/** Who owns the innermost folder on the way to `folder` that is not root's. */
const ownerAbove = (folder: string): number => {
  const { uid } = statSync(folder)
  return uid !== 0 || dirname(folder) === folder ? uid : ownerAbove(dirname(folder))
}

/**
 * The accounts to try, best first: whose the folder is already, the usual two, whose project it lies in (`sudo npm
 * start` in a home folder closed to others). `initdb` wants an account that has a name.
 */
const candidates = (folder: string): ReadonlyArray<Account> => {
  if (process.getuid?.() !== 0) return [self]
  return [String(statSync(folder).uid), "postgres", "nobody", String(ownerAbove(folder))].flatMap((name) =>
    Option.toArray(lookup(name))
  )
}

/**
 * Gives `path` to the account, what is within first: a folder that is the account's already is so wholly and is not
 * walked again, since another process may have a server running on it. Files may vanish meanwhile for that reason.
 */
const giveTo = (ids: Ids, path: string): void => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.uid === ids.uid) return
  if (stat.isDirectory()) for (const name of readdirSync(path)) giveTo(ids, join(path, name))
  lchownSync(path, ids.uid, ids.gid)
}

/** Gives the account `folder` and all within. Only root can give files away; others own theirs. */
export const changeOwner = (account: Account, folder: string): Effect.Effect<void, EmbeddedPostgresFailed> =>
  tryStep(`giving ${folder} to ${account.name}`, () => {
    if (Option.isNone(account.ids)) return
    for (const name of readdirSync(folder)) giveTo(account.ids.value, join(folder, name))
    giveTo(account.ids.value, folder)
  })

/** No account can both run the binaries and enter the cluster's folder; what each met. */
export class NoUsableAccount extends Data.TaggedError("NoUsableAccount")<{ readonly reason: string }> {}

/** What a cluster is served with. */
export interface Tools {
  readonly account: Account
  readonly binaries: Binaries
}

/**
 * PostgreSQL refuses to run as root. The first account is taken that can run the binaries and enter `home`, each
 * tried by doing it; `home` is given to it. A cluster outside the project has its own copy of the binaries.
 */
export const chooseTools = (
  home: string,
  isOutside: boolean
): Effect.Effect<Tools, NoUsableAccount | EmbeddedPostgresFailed> =>
  Effect.gen(function* () {
    const found = yield* findBinaries
    const binaries = isOutside ? yield* copyBinaries(found, home) : found
    const accounts = yield* tryStep(`looking into ${home}`, () => candidates(home))
    const refusals: Array<string> = []
    for (const account of accounts) {
      yield* changeOwner(account, home)
      const script = 'cd "$1" && "$2" --version && "$3" --version'
      const programs = [join(binaries.folder, "initdb"), join(binaries.folder, "postgres")]
      const { error, status, stderr } = runAs(account, "/bin/sh", ["-c", script, "sh", home, ...programs])
      if (status === 0) return { account, binaries }
      refusals.push(`${account.name}: ${formatReason(error ?? stderr)}`)
    }
    return yield* new NoUsableAccount({ reason: `PostgreSQL cannot be run (${refusals.join("; ")})` })
  })
