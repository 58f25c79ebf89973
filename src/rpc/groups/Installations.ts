import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { InstallationId } from "../../domain/access/Ids.ts"
import { InstallationNotFound, InstalledApp } from "../../domain/access/Installations.ts"
import { RecentRequest } from "../../domain/access/Requests.ts"
import { Authentication } from "../Authentication.ts"
import { Deleted, storeFields, keyedFields, Page, pageFields, WriteError } from "./CommonSchemas.ts"

/* Apps that are installed on a store. All procedures are for members. */

/** Lists installed apps in ascending order of id. */
export const listInstallations = Rpc.make("installations.list", {
  payload: pageFields(InstallationId),
  success: Page(InstalledApp, InstallationId)
})

/** Reads one installed app. */
export const getInstallation = Rpc.make("installations.get", {
  payload: { ...storeFields, id: InstallationId },
  success: InstalledApp,
  error: InstallationNotFound
})

/** Lists the last 50 requests of an app, newest first. Requests to other processes appear within 10 seconds. */
export const recentRequests = Rpc.make("installations.requests", {
  payload: { ...storeFields, id: InstallationId },
  success: Schema.Array(RecentRequest),
  error: InstallationNotFound
})

/** Suspends an app: its requests to the store fail, and it receives no events. */
export const suspendInstallation = Rpc.make("installations.suspend", {
  payload: { ...keyedFields, id: InstallationId },
  success: InstalledApp,
  error: Schema.Union([WriteError, InstallationNotFound])
})

/** Ends a suspension. The app keeps its access; events of the suspension are not delivered. */
export const resumeInstallation = Rpc.make("installations.resume", {
  payload: { ...keyedFields, id: InstallationId },
  success: InstalledApp,
  error: Schema.Union([WriteError, InstallationNotFound])
})

/** Uninstalls an app permanently: revokes its tokens, drops its deliveries and cancels its subscription. */
export const uninstall = Rpc.make("installations.uninstall", {
  payload: { ...keyedFields, id: InstallationId },
  success: Deleted(InstallationId),
  error: Schema.Union([WriteError, InstallationNotFound])
})

/** Apps that are installed on a store. */
export class InstallationRpcs extends RpcGroup.make(
  listInstallations,
  getInstallation,
  recentRequests,
  suspendInstallation,
  resumeInstallation,
  uninstall
).middleware(Authentication) {}
