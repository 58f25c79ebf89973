import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { AppId, AppNotFound, NoClientSecret, SECRET_OVERLAP } from "../../domain/access/Apps.ts"
import {
  AppLimitReached,
  AppPatch,
  DevelopedApp,
  DevelopedInstallation,
  NewApp
} from "../../domain/access/Developers.ts"
import { InstallationId } from "../../domain/access/Installations.ts"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { RedirectUriRefused } from "../../domain/oauth/RedirectUri.ts"
import { Authentication } from "../Authentication.ts"
import { accountKeyedFields, accountPageFields, AccountWriteError, Page, integerBetween } from "./CommonSchemas.ts"

/*
 * The apps that the caller develops: theirs alone, and for people, not for agents. They are in no store, so none is named.
 * Another's app is refused as one that there is not. Secrets are shown with the first answer alone, as nothing that is
 * kept holds them in clear: a repeat of the key is answered without.
 */

export const appFields = { id: withDescription(AppId, "The app") }

export const shownOnce = (what: string) =>
  Schema.NullOr(Schema.String).annotate({
    description: `${what}. Null where the key was used before: if it is lost, rotate it`
  })

const WithClientSecret = Schema.Struct({
  ...DevelopedApp.fields,
  clientSecret: shownOnce("What the app proves with who it is; null of a public app too")
})

export const listApps = Rpc.make("apps.list", { payload: accountPageFields(AppId), success: Page(DevelopedApp, AppId) })

export const getApp = Rpc.make("apps.get", { payload: appFields, success: DevelopedApp, error: AppNotFound })

export const createApp = Rpc.make("apps.create", {
  payload: { ...accountKeyedFields, app: NewApp },
  success: WithClientSecret,
  error: Schema.Union([AccountWriteError, AppLimitReached, RedirectUriRefused])
})

/** Only what is named changes. Installations keep what their merchants agreed to, also where the app now asks for less. */
export const updateApp = Rpc.make("apps.update", {
  payload: { ...accountKeyedFields, ...appFields, patch: AppPatch },
  success: DevelopedApp,
  error: Schema.Union([AccountWriteError, AppNotFound, RedirectUriRefused])
})

/** Makes another secret. The one before goes on for a while; what that one had replaced ends at once. */
export const rotateClientSecret = Rpc.make("apps.rotateSecret", {
  payload: {
    ...accountKeyedFields,
    ...appFields,
    overlapHours: optional(
      integerBetween(
        0,
        SECRET_OVERLAP.most,
        `Hours that the one before is still good, ${SECRET_OVERLAP.usual} where it is not said; 0 for one that leaked`
      )
    )
  },
  success: WithClientSecret,
  error: Schema.Union([AccountWriteError, AppNotFound, NoClientSecret])
})

/** Where the app is installed, without a word of whose stores those are. */
export const listAppInstallations = Rpc.make("apps.installations", {
  payload: { ...accountPageFields(InstallationId), ...appFields },
  success: Page(DevelopedInstallation, InstallationId),
  error: AppNotFound
})

/** The apps that the caller develops. */
export class AppRpcs extends RpcGroup.make(
  listApps,
  getApp,
  createApp,
  updateApp,
  rotateClientSecret,
  listAppInstallations
).middleware(Authentication) {}
