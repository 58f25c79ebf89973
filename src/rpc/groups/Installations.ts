import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { InstallationId, InstallationNotFound, InstalledApp } from "../../domain/access/Installations.ts"
import { RecentRequest } from "../../domain/access/Requests.ts"
import { Authentication } from "../Authentication.ts"
import { Deleted, storeFields, keyedFields, Page, pageFields, WriteError } from "./CommonSchemas.ts"

/* The apps on a store: for its members. */

export const listInstallations = Rpc.make("installations.list", {
  payload: pageFields(InstallationId),
  success: Page(InstalledApp, InstallationId)
})

export const getInstallation = Rpc.make("installations.get", {
  payload: { ...storeFields, id: InstallationId },
  success: InstalledApp,
  error: InstallationNotFound
})

/** What the app asked for last, the newest first, 50 at most. What other processes answered comes within 10 seconds. */
export const recentRequests = Rpc.make("installations.requests", {
  payload: { ...storeFields, id: InstallationId },
  success: Schema.Array(RecentRequest),
  error: InstallationNotFound
})

/** From then on every request of the app to the store is refused, and no event is delivered to it. */
export const suspendInstallation = Rpc.make("installations.suspend", {
  payload: { ...keyedFields, id: InstallationId },
  success: InstalledApp,
  error: Schema.Union([WriteError, InstallationNotFound])
})

/** Undoes a suspension: the app goes on with what it had. What happened meanwhile it is not told. */
export const resumeInstallation = Rpc.make("installations.resume", {
  payload: { ...keyedFields, id: InstallationId },
  success: InstalledApp,
  error: Schema.Union([WriteError, InstallationNotFound])
})

/**
 * Ends the installation: its tokens are revoked, what was to be delivered is not, its subscription is cancelled. Cannot be
 * undone; the app can be installed again.
 */
export const uninstall = Rpc.make("installations.uninstall", {
  payload: { ...keyedFields, id: InstallationId },
  success: Deleted(InstallationId),
  error: Schema.Union([WriteError, InstallationNotFound])
})

/** The apps on a store. */
export class InstallationRpcs extends RpcGroup.make(
  listInstallations,
  getInstallation,
  recentRequests,
  suspendInstallation,
  resumeInstallation,
  uninstall
).middleware(Authentication) {}
