import { DateTime, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import {
  type Installation,
  InstallationId,
  type InstallationNotFound,
  Installations
} from "../domain/access/Installations.ts"
import { type InstallationAct, TRANSITIONS } from "../domain/access/InstallationState.ts"
import { Tokens } from "../domain/access/Tokens.ts"
import { StoreId } from "../domain/Store.ts"
import { type Write, Writes } from "../domain/Write.ts"
import {
  app,
  argument,
  capabilities,
  command,
  group,
  json,
  limit,
  misused,
  operatorIn,
  option,
  scopes
} from "./Options.ts"
import { print, printList } from "./Output.ts"

const store = option("store", StoreId, "The store's id")

const installation = argument("installation", InstallationId, "The installation's id")

/** Prints an installation with a new access token of it. */
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
    const asked = { storeId: store, appId: app, scopes, capabilities }
    yield* printToken(json, yield* perform(operatorIn(store), install(asked)))
  }
).pipe(
  Command.withDescription(
    "Install an app on a store, or give it other scopes and capabilities; prints an access token, good for an hour"
  )
)

const list = command(
  "list",
  { store: Flag.optional(store), app: Flag.optional(app), limit, json },
  function* ({ app, json, limit, store }) {
    const installations = yield* Installations
    if (Option.isNone(store) && Option.isNone(app)) return yield* misused("Give --store, --app or both")
    yield* printList(json, "installations", yield* installations.list({ storeId: store, appId: app, limit }))
  }
).pipe(
  Command.withDescription(
    "The newest installations of a store or an app: what they are granted, and whether they are active or suspended"
  )
)

const token = command("token", { installation, json }, function* ({ installation, json }) {
  const installations = yield* Installations
  yield* printToken(json, { id: installation, ...(yield* installations.find(installation)) })
}).pipe(Command.withDescription("Print another access token, good for an hour; those before it stay good"))

const revoke = command("revoke", { installation, json }, function* ({ installation, json }) {
  const tokens = yield* Tokens
  yield* print(json, { installationId: installation, revoked: yield* tokens.revoke(installation) })
}).pipe(Command.withDescription("End every access token of an installation at once"))

/** Does with an installation what its members may do with it, and prints how it stands then. */
const act = <A>(
  name: Exclude<InstallationAct, "install">,
  actOf: (
    installations: typeof Installations.Service
  ) => (store: StoreId, id: InstallationId) => Write<A, InstallationNotFound>
) =>
  command(name, { installation, json }, function* ({ installation, json }) {
    const installations = yield* Installations
    const { perform } = yield* Writes
    const { storeId } = yield* installations.find(installation)
    yield* perform(operatorIn(storeId), actOf(installations)(storeId, installation))
    yield* print(json, { installationId: installation, state: TRANSITIONS[name].to })
  })

const suspend = act("suspend", ({ suspend }) => suspend).pipe(
  Command.withDescription("Refuse every request of an installation from now on; it keeps its tokens and data")
)

const resume = act("resume", ({ resume }) => resume).pipe(
  Command.withDescription("Admit a suspended installation again, with the tokens it has")
)

const uninstall = act("uninstall", ({ uninstall }) => uninstall).pipe(
  Command.withDescription("End an installation and its tokens; its app data is kept for 48 hours, for another install")
)

export const installations = group("installations", "Apps on stores").pipe(
  Command.withSubcommands([create, list, token, revoke, suspend, resume, uninstall])
)
