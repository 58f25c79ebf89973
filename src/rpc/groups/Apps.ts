import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { AppId, InstallationId } from "../../domain/access/Ids.ts"
import { AppNotFound, NoClientSecret, SECRET_OVERLAP } from "../../domain/access/Apps.ts"
import {
  AppLimitReached,
  AppPatch,
  DevelopedApp,
  DevelopedInstallation,
  NewApp
} from "../../domain/access/Developers.ts"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { RedirectUriRefused } from "../../domain/oauth/RedirectUri.ts"
import { Authentication } from "../Authentication.ts"
import { accountKeyedFields, accountPageFields, AccountWriteError, Page, integerBetween } from "./CommonSchemas.ts"

/*
 * Apps that the caller develops. All procedures are for merchants, not for agents. Apps of other developers fail with
 * `AppNotFound`. Only the first response to a write has a generated secret, because no stored response holds it in clear.
 */

export const appFields = { id: withDescription(AppId, "Id of the app") }

export const secretSchema = (description: string) =>
  Schema.NullOr(Schema.String).annotate({
    description: `${description}. Null in the response to a retry: if you lost the secret, rotate it`
  })

const WithClientSecret = Schema.Struct({
  ...DevelopedApp.fields,
  clientSecret: secretSchema("Client secret of the app. Public apps have none")
})

/** Lists the caller's apps in ascending order of id. */
export const listApps = Rpc.make("apps.list", { payload: accountPageFields(AppId), success: Page(DevelopedApp, AppId) })

/** Reads one app of the caller. */
export const getApp = Rpc.make("apps.get", { payload: appFields, success: DevelopedApp, error: AppNotFound })

/** Registers an app. Confidential apps receive a client secret. */
export const createApp = Rpc.make("apps.create", {
  payload: { ...accountKeyedFields, app: NewApp },
  success: WithClientSecret,
  error: Schema.Union([AccountWriteError, AppLimitReached, RedirectUriRefused])
})

/** Changes an app with a merge patch. Installations keep the scopes that their merchants granted. */
export const updateApp = Rpc.make("apps.update", {
  payload: { ...accountKeyedFields, ...appFields, patch: AppPatch },
  success: DevelopedApp,
  error: Schema.Union([AccountWriteError, AppNotFound, RedirectUriRefused])
})

/** Generates a new client secret. The previous one stays valid for `overlapHours`; an older one ends at once. */
export const rotateClientSecret = Rpc.make("apps.rotateSecret", {
  payload: {
    ...accountKeyedFields,
    ...appFields,
    overlapHours: optional(
      integerBetween(
        0,
        SECRET_OVERLAP.most,
        `Hours that the previous secret stays valid. Default: ${SECRET_OVERLAP.usual}. Use 0 if it leaked`
      )
    )
  },
  success: WithClientSecret,
  error: Schema.Union([AccountWriteError, AppNotFound, NoClientSecret])
})

/** Lists the installations of an app, without the identity of their stores. */
export const listAppInstallations = Rpc.make("apps.installations", {
  payload: { ...accountPageFields(InstallationId), ...appFields },
  success: Page(DevelopedInstallation, InstallationId),
  error: AppNotFound
})

/** Apps that the caller develops. */
export class AppRpcs extends RpcGroup.make(
  listApps,
  getApp,
  createApp,
  updateApp,
  rotateClientSecret,
  listAppInstallations
).middleware(Authentication) {}
