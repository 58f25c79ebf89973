/*
 * Works around PostgreSQL, which refuses to run as root, and Node, which passes on environment and working folder.
 */

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
  /** `none` for the account of this process. */
  readonly ids: Option.Option<Ids>
}

const currentAccount: Account = { name: "this account", ids: Option.none() }

/**
 * Programs get a path and a plain locale. Other variables may be secrets, and `PG*` variables would change settings.
 * The working folder is `/`, because the account may have no access to the current one.
 */
const spawnOptions = ({ ids }: Account) => ({
  ...Option.getOrUndefined(ids),
  cwd: "/",
  env: { PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" }
})

/** Runs a program and waits for its exit. */
export const runAs = (account: Account, program: string, args: ReadonlyArray<string>) =>
  spawnSync(program, args, { ...spawnOptions(account), encoding: "utf8" })

/**
 * Starts a program that can outlive this process. `detached` gives it a separate session. A Ctrl-C in the terminal
 * reaches the whole process group, and would otherwise stop the database while the server still finishes requests.
 */
export const startAs = (
  account: Account,
  program: string,
  args: ReadonlyArray<string>,
  stdio: StdioOptions
): ChildProcess => spawn(program, args, { ...spawnOptions(account), detached: true, stdio })

/** Finds an account by name or number. Root does not count. */
const findAccount = (nameOrUid: string): Option.Option<Account> => {
  const id = (flag: string) => Number.parseInt(runAs(currentAccount, "id", [flag, nameOrUid]).stdout ?? "", 10)
  const [uid, gid] = [id("-u"), id("-g")]
  return Number.isInteger(uid) && Number.isInteger(gid) && uid > 0
    ? Option.some({ name: `account ${nameOrUid}`, ids: Option.some({ uid, gid }) })
    : Option.none()
}

/** Owner of the closest folder, from `folder` upwards, that root does not own. */
const closestOwner = (folder: string): number => {
  const { uid } = statSync(folder)
  return uid !== 0 || dirname(folder) === folder ? uid : closestOwner(dirname(folder))
}

/**
 * Accounts to try, best first: the owner of the folder, two usual accounts, the owner of the project (`sudo npm start`
 * in a private home folder). `initdb` requires an account with a name.
 */
const candidateAccounts = (folder: string): ReadonlyArray<Account> => {
  if (process.getuid?.() !== 0) return [currentAccount]
  return [String(statSync(folder).uid), "postgres", "nobody", String(closestOwner(folder))].flatMap((name) =>
    Option.toArray(findAccount(name))
  )
}

/**
 * Changes the owner of `path`, contents first. A folder that the account owns is therefore complete, and is skipped:
 * another process may run a server on it. That server may also delete files during the walk.
 */
const changeOwnerOf = (ids: Ids, path: string): void => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.uid === ids.uid) return
  if (stat.isDirectory()) for (const name of readdirSync(path)) changeOwnerOf(ids, join(path, name))
  lchownSync(path, ids.uid, ids.gid)
}

/** Changes the owner of `folder` and its contents. Only root can do so; other accounts own their files already. */
export const changeOwner = (account: Account, folder: string): Effect.Effect<void, EmbeddedPostgresFailed> =>
  tryStep(`changing the owner of ${folder} to ${account.name}`, () => {
    if (Option.isNone(account.ids)) return
    for (const name of readdirSync(folder)) changeOwnerOf(account.ids.value, join(folder, name))
    changeOwnerOf(account.ids.value, folder)
  })

/**
 * No account can both run the binaries and enter the folder of the cluster. `reason` lists the error of each account.
 */
export class NoUsableAccount extends Data.TaggedError("NoUsableAccount")<{ readonly reason: string }> {}

/** Account and binaries that run the server of a cluster. */
export interface Tools {
  readonly account: Account
  readonly binaries: Binaries
}

/**
 * Chooses the first account that can run the binaries and enter `home`, and makes it the owner of `home`. PostgreSQL
 * refuses to run as root. A cluster outside `dataDir` has its own copy of the binaries.
 */
export const chooseTools = (
  home: string,
  isOutside: boolean
): Effect.Effect<Tools, NoUsableAccount | EmbeddedPostgresFailed> =>
  Effect.gen(function* () {
    const installed = yield* findBinaries
    const binaries = isOutside ? yield* copyBinaries(installed, home) : installed
    const accounts = yield* tryStep(`reading ${home}`, () => candidateAccounts(home))
    const errors: Array<string> = []
    for (const account of accounts) {
      yield* changeOwner(account, home)
      const script = 'cd "$1" && "$2" --version && "$3" --version'
      const programs = [join(binaries.folder, "initdb"), join(binaries.folder, "postgres")]
      const { error, status, stderr } = runAs(account, "/bin/sh", ["-c", script, "sh", home, ...programs])
      if (status === 0) return { account, binaries }
      errors.push(`${account.name}: ${formatReason(error ?? stderr)}`)
    }
    return yield* new NoUsableAccount({ reason: `PostgreSQL cannot be run (${errors.join("; ")})` })
  })
