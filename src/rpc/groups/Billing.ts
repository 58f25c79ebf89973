import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { InstallationId } from "../../domain/access/Ids.ts"
import { InstallationNotFound } from "../../domain/access/Installations.ts"
import {
  AlreadySubscribed,
  AppPlan,
  AppPlanId,
  AppPlanNotFound,
  NotSubscribed,
  Subscription,
  SubscriptionId
} from "../../domain/billing/Billing.ts"
import { AccessPolicy, OWNERS_ONLY } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { storeFields, keyedFields, Page, pageFields, WriteError } from "./CommonSchemas.ts"

/* Subscriptions of a store to plans of its apps. All procedures are for owners. */

/** Lists the plans of an app, cheapest first per currency. */
export const listAppPlans = Rpc.make("billing.plans", {
  payload: { ...storeFields, installationId: InstallationId },
  success: Schema.Array(AppPlan),
  error: InstallationNotFound
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Reads the active or still paid subscription of an installation, or null. */
export const currentSubscription = Rpc.make("billing.current", {
  payload: { ...storeFields, installationId: InstallationId },
  success: Schema.NullOr(Subscription)
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Lists all subscriptions of the store, including ended ones. */
export const listSubscriptions = Rpc.make("billing.subscriptions", {
  payload: pageFields(SubscriptionId),
  success: Page(Subscription, SubscriptionId)
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Subscribes to a plan at its current price. Only the first subscription of an installation has a trial. */
export const subscribe = Rpc.make("billing.subscribe", {
  payload: { ...keyedFields, installationId: InstallationId, planId: AppPlanId },
  success: Subscription,
  error: Schema.Union([WriteError, InstallationNotFound, AppPlanNotFound, AlreadySubscribed])
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Ends the subscription now and starts another, to a different plan or to the same one at its current price. */
export const changeSubscription = Rpc.make("billing.change", {
  payload: { ...keyedFields, installationId: InstallationId, planId: AppPlanId },
  success: Subscription,
  error: Schema.Union([WriteError, InstallationNotFound, AppPlanNotFound, NotSubscribed])
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Cancels the subscription at the end of the paid period or trial. */
export const cancelSubscription = Rpc.make("billing.cancel", {
  payload: { ...keyedFields, installationId: InstallationId },
  success: Subscription,
  error: Schema.Union([WriteError, InstallationNotFound, NotSubscribed])
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Subscriptions of a store. */
export class BillingRpcs extends RpcGroup.make(
  listAppPlans,
  currentSubscription,
  listSubscriptions,
  subscribe,
  changeSubscription,
  cancelSubscription
).middleware(Authentication) {}
