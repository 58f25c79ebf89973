import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { InstallationId, InstallationNotFound } from "../../domain/access/Installations.ts"
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

/* What apps cost: for the owners of a store. */

/** What the app of an installation may be subscribed to, the cheapest of a currency first. */
export const listAppPlans = Rpc.make("billing.plans", {
  payload: { ...storeFields, installationId: InstallationId },
  success: Schema.Array(AppPlan),
  error: InstallationNotFound
}).annotate(AccessPolicy, OWNERS_ONLY)

/** The subscription of an installation that goes on, or that is paid for still; null where there is none. */
export const currentSubscription = Rpc.make("billing.current", {
  payload: { ...storeFields, installationId: InstallationId },
  success: Schema.NullOr(Subscription)
}).annotate(AccessPolicy, OWNERS_ONLY)

/** All that the store agreed to, also what has ended. */
export const listSubscriptions = Rpc.make("billing.subscriptions", {
  payload: pageFields(SubscriptionId),
  success: Page(Subscription, SubscriptionId)
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Agrees to the price that the plan has now. Its trial is for who subscribes an installation for the first time. */
export const subscribe = Rpc.make("billing.subscribe", {
  payload: { ...keyedFields, installationId: InstallationId, planId: AppPlanId },
  success: Subscription,
  error: Schema.Union([WriteError, InstallationNotFound, AppPlanNotFound, AlreadySubscribed])
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Ends the subscription now, and begins one to another plan, or to the same one at the price that it has now. */
export const changeSubscription = Rpc.make("billing.change", {
  payload: { ...keyedFields, installationId: InstallationId, planId: AppPlanId },
  success: Subscription,
  error: Schema.Union([WriteError, InstallationNotFound, AppPlanNotFound, NotSubscribed])
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Ends the subscription with the period that is paid for, or with its trial. */
export const cancelSubscription = Rpc.make("billing.cancel", {
  payload: { ...keyedFields, installationId: InstallationId },
  success: Subscription,
  error: Schema.Union([WriteError, InstallationNotFound, NotSubscribed])
}).annotate(AccessPolicy, OWNERS_ONLY)

/** What apps cost. */
export class BillingRpcs extends RpcGroup.make(
  listAppPlans,
  currentSubscription,
  listSubscriptions,
  subscribe,
  changeSubscription,
  cancelSubscription
).middleware(Authentication) {}
