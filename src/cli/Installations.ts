import { DateTime, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import type { InstallationId } from "../domain/access/Ids.ts"
import { type Installation, type InstallationNotFound, Installations } from "../domain/access/Installations.ts"
import { type InstallationAct, TRANSITIONS } from "../domain/access/InstallationState.ts"
import { Tokens } from "../domain/access/Tokens.ts"
import type { StoreId } from "../domain/Store.ts"
import { type Write, Writes } from "../domain/Write.ts"
import { newest, OtherCells, printRows } from "./CellLists.ts"
import {
  app,
  capabilities,
  command,
  group,
  installationArgument,
  json,
  limit,
  operatorContext,
  scopes,
  store,
  usageError,
  withHelp
} from "./Options.ts"
import { print } from "./Output.ts"

/** Issues an access token of an installation and prints both. */
const printToken = Effect.fnUntraced(function* (asJson: boolean, installation: Installation) {
  const tokens = yield* Tokens
  const { expiresAt, token } = yield* tokens.issue(installation)
  yield* print(asJson, {
    installationId: installation.id,
    storeId: installation.storeId,
    scopes: installation.scopes,
    capabilities: installation.capabilities,
    accessToken: Redacted.value(token),
    accessTokenExpiresAt: DateTime.formatIso(expiresAt)
  })
})

const create = command(
  "create",
  { store, app, scopes, capabilities, json },
  function* ({ app, capabilities, json, scopes, store }) {
    const { install } = yield* Installations
    const { perform } = yield* Writes
    const request = { storeId: store, appId: app, scopes, capabilities }
    yield* printToken(json, yield* perform(operatorContext(store), install(request)))
  }
).pipe(
  withHelp({
    summary: "Install an app on a store, or change its scopes and capabilities",
    details: "Prints an access token that is valid for one hour.",
    examples: ["--store <id> --app <id> --scope read_products --scope write_products"]
  })
)

const list = command(
  "list",
  { store: Flag.optional(store), app: Flag.optional(app), limit, json },
  function* ({ app, json, limit, store }) {
    const { list } = yield* OtherCells
    if (Option.isNone(store) && Option.isNone(app)) return yield* usageError("Give --store, --app or both")
    const installations = Effect.flatMap(Installations, (service) =>
      service.list({ storeId: store, appId: app, limit })
    )
    const own = yield* installations
    // The command runs in the cell of a given store. A cell without a copy of the app yet has no installation of it.
    const others = Option.isSome(store)
      ? { found: [], missing: [] }
      : yield* list(Effect.catchTag(installations, "AppNotFound", () => Effect.succeed([])))
    const all = [own, ...others.found.map(({ rows }) => rows)].flat()
    yield* printRows(
      json,
      "installations",
      newest(all, ({ installationId }) => installationId, limit),
      others
    )
  }
).pipe(
  withHelp({
    summary: "List the newest installations of a store or an app",
    details: "If a cell is out of reach, the command prints the rows of the others, and fails.",
    examples: ["--store <id>", "--app <id> --json"]
  })
)

const token = command("token", { installation: installationArgument, json }, function* ({ installation, json }) {
  const installations = yield* Installations
  yield* printToken(json, { id: installation, ...(yield* installations.find(installation)) })
}).pipe(
  withHelp({
    summary: "Print a new access token that is valid for one hour",
    details: "Earlier tokens stay valid until they expire.",
    examples: ["<id>"]
  })
)

const revoke = command("revoke", { installation: installationArgument, json }, function* ({ installation, json }) {
  const tokens = yield* Tokens
  yield* print(json, { installationId: installation, revoked: yield* tokens.revoke(installation) })
}).pipe(withHelp({ summary: "Revoke all access tokens of an installation", examples: ["<id>"] }))

/** Makes a command that changes the state of an installation and prints the new state. */
const transition = <A>(
  name: Exclude<InstallationAct, "install">,
  select: (
    installations: typeof Installations.Service
  ) => (store: StoreId, id: InstallationId) => Write<A, InstallationNotFound>
) =>
  command(name, { installation: installationArgument, json }, function* ({ installation, json }) {
    const installations = yield* Installations
    const { perform } = yield* Writes
    const { storeId } = yield* installations.find(installation)
    yield* perform(operatorContext(storeId), select(installations)(storeId, installation))
    yield* print(json, { installationId: installation, state: TRANSITIONS[name].to })
  })

const suspend = transition("suspend", ({ suspend }) => suspend).pipe(
  withHelp({
    summary: "Suspend an installation",
    details: "Its requests are refused. It keeps its tokens and app data.",
    examples: ["<id>"]
  })
)

const resume = transition("resume", ({ resume }) => resume).pipe(
  withHelp({
    summary: "Resume a suspended installation",
    details: "Its unexpired tokens work again.",
    examples: ["<id>"]
  })
)

const uninstall = transition("uninstall", ({ uninstall }) => uninstall).pipe(
  withHelp({
    summary: "Uninstall an app from a store",
    details: "Its tokens end at once. App data is deleted after 48 hours, unless the app is installed again.",
    examples: ["<id>"]
  })
)

export const installations = group("installations", "Manage apps that are installed on stores").pipe(
  Command.withSubcommands([create, list, token, revoke, suspend, resume, uninstall])
)
