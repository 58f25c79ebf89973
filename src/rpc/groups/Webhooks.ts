import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { InstallationId, InstallationSuspended, InstallationNotFound } from "../../domain/access/Installations.ts"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { EventId } from "../../domain/Events.ts"
import { Instant } from "../../domain/Time.ts"
import { StoreDelivery, StoreDeliveryDetails, StoreWebhook } from "../../domain/webhooks/StoreWebhooks.ts"
import { DeliveryNotFound, DeliveryState } from "../../domain/webhooks/Webhook.ts"
import { Authentication } from "../Authentication.ts"
import { storeFields, keyedFields, pageFields, SparsePage, WriteError } from "./CommonSchemas.ts"

/*
 * What the apps on a store are told of it: for its members. A webhook is an app's, for all of its stores; what a member
 * pauses and resumes is what this store sends there.
 */

const installationFields = { installationId: InstallationId }

export const getWebhook = Rpc.make("webhooks.get", {
  payload: { ...storeFields, ...installationFields },
  success: StoreWebhook,
  error: InstallationNotFound
})

/** From then on the store's events wait, each for 30 days. A request that is under way is left to end. */
export const pauseWebhook = Rpc.make("webhooks.pause", {
  payload: { ...keyedFields, ...installationFields },
  success: StoreWebhook,
  error: Schema.Union([WriteError, InstallationNotFound])
})

/** Sends what waits, and what happens from then on. */
export const resumeWebhook = Rpc.make("webhooks.resume", {
  payload: { ...keyedFields, ...installationFields },
  success: StoreWebhook,
  error: Schema.Union([WriteError, InstallationNotFound])
})

/** How the store's events reach an app. */
export class WebhookRpcs extends RpcGroup.make(getWebhook, pauseWebhook, resumeWebhook).middleware(Authentication) {}

const time = (description: string) => optional(withDescription(Instant, description))

/** The newest first. */
export const listDeliveries = Rpc.make("deliveries.list", {
  payload: {
    ...pageFields(EventId),
    ...installationFields,
    state: optional(DeliveryState.annotate({ description: "Only those that stand so" })),
    since: time("Only of events from this time on, as in 2026-01-31T09:30:00Z"),
    until: time("Only of events before this time")
  },
  success: SparsePage(StoreDelivery, EventId),
  error: InstallationNotFound
})

/** One delivery, with every request that was made. */
export const getDelivery = Rpc.make("deliveries.get", {
  payload: { ...storeFields, ...installationFields, eventId: EventId },
  success: StoreDeliveryDetails,
  error: Schema.Union([InstallationNotFound, DeliveryNotFound])
})

/** Sends an event once more, whatever became of it before; a request that is under way is left to end. */
export const redeliver = Rpc.make("deliveries.redeliver", {
  payload: { ...keyedFields, ...installationFields, eventId: EventId },
  success: StoreDelivery,
  error: Schema.Union([WriteError, InstallationNotFound, InstallationSuspended, DeliveryNotFound])
})

/** What an app was sent of the store's events. */
export class DeliveryRpcs extends RpcGroup.make(listDeliveries, getDelivery, redeliver).middleware(Authentication) {}
