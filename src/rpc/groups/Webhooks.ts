import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { InstallationId } from "../../domain/access/Ids.ts"
import { InstallationSuspended, InstallationNotFound } from "../../domain/access/Installations.ts"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { EventId } from "../../domain/Events.ts"
import { Instant } from "../../domain/Time.ts"
import { StoreDelivery, StoreDeliveryDetails, StoreWebhook } from "../../domain/webhooks/StoreWebhooks.ts"
import { DeliveryNotFound, DeliveryState } from "../../domain/webhooks/Webhook.ts"
import { Authentication } from "../Authentication.ts"
import { storeFields, keyedFields, pageFields, SparsePage, WriteError } from "./CommonSchemas.ts"

/*
 * Webhooks of the apps on a store. All procedures are for members. An app has one webhook for all its stores; members pause
 * and resume only the events of this store.
 */

const installationFields = { installationId: InstallationId }

/** Reads the webhook of an app as this store uses it. */
export const getWebhook = Rpc.make("webhooks.get", {
  payload: { ...storeFields, ...installationFields },
  success: StoreWebhook,
  error: InstallationNotFound
})

/** Pauses the events of the store. Each is queued for `DELIVERY_DAYS`. A request in progress completes. */
export const pauseWebhook = Rpc.make("webhooks.pause", {
  payload: { ...keyedFields, ...installationFields },
  success: StoreWebhook,
  error: Schema.Union([WriteError, InstallationNotFound])
})

/** Resumes the events of the store and sends queued ones. */
export const resumeWebhook = Rpc.make("webhooks.resume", {
  payload: { ...keyedFields, ...installationFields },
  success: StoreWebhook,
  error: Schema.Union([WriteError, InstallationNotFound])
})

/** Webhooks of the apps on a store. */
export class WebhookRpcs extends RpcGroup.make(getWebhook, pauseWebhook, resumeWebhook).middleware(Authentication) {}

const timeFilter = (description: string) => optional(withDescription(Instant, description))

/** Lists deliveries to an app, newest first. */
export const listDeliveries = Rpc.make("deliveries.list", {
  payload: {
    ...pageFields(EventId),
    ...installationFields,
    state: optional(DeliveryState.annotate({ description: "Only deliveries in this state" })),
    since: timeFilter("Only events at or after this time, in RFC 3339, such as 2026-01-31T09:30:00Z"),
    until: timeFilter("Only events before this time, in RFC 3339")
  },
  success: SparsePage(StoreDelivery, EventId),
  error: InstallationNotFound
})

/** Reads one delivery with its attempts. */
export const getDelivery = Rpc.make("deliveries.get", {
  payload: { ...storeFields, ...installationFields, eventId: EventId },
  success: StoreDeliveryDetails,
  error: Schema.Union([InstallationNotFound, DeliveryNotFound])
})

/** Sends an event again, whatever the state of its delivery. A request in progress completes. */
export const redeliver = Rpc.make("deliveries.redeliver", {
  payload: { ...keyedFields, ...installationFields, eventId: EventId },
  success: StoreDelivery,
  error: Schema.Union([WriteError, InstallationNotFound, InstallationSuspended, DeliveryNotFound])
})

/** Deliveries of the store's events to its apps. */
export class DeliveryRpcs extends RpcGroup.make(listDeliveries, getDelivery, redeliver).middleware(Authentication) {}
