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
import { CallersOf, OWNERS } from "../Annotations.ts"
import { Identified } from "../Authentication.ts"
import { inStore, keyed, Page, paged, WriteRefused } from "./CommonSchemas.ts"

/* What apps cost: for the owners of a store. */

/** What the app of an installation may be subscribed to, the cheapest of a currency first. */
export const listAppPlans = Rpc.make("billing.plans", {
  payload: { ...inStore, installationId: InstallationId },
  success: Schema.Array(AppPlan),
  error: InstallationNotFound
}).annotate(CallersOf, OWNERS)

/** The subscription of an installation that goes on, or that is paid for still; null where there is none. */
export const currentSubscription = Rpc.make("billing.current", {
  payload: { ...inStore, installationId: InstallationId },
  success: Schema.NullOr(Subscription)
}).annotate(CallersOf, OWNERS)

/** All that the store agreed to, also what has ended. */
export const listSubscriptions = Rpc.make("billing.subscriptions", {
  payload: paged(SubscriptionId),
  success: Page(Subscription, SubscriptionId)
}).annotate(CallersOf, OWNERS)

/** Agrees to the price that the plan has now. Its trial is for who subscribes an installation for the first time. */
export const subscribe = Rpc.make("billing.subscribe", {
  payload: { ...keyed, installationId: InstallationId, planId: AppPlanId },
  success: Subscription,
  error: Schema.Union([WriteRefused, InstallationNotFound, AppPlanNotFound, AlreadySubscribed])
}).annotate(CallersOf, OWNERS)

/** Ends the subscription now, and begins one to another plan, or to the same one at the price that it has now. */
export const changeSubscription = Rpc.make("billing.change", {
  payload: { ...keyed, installationId: InstallationId, planId: AppPlanId },
  success: Subscription,
  error: Schema.Union([WriteRefused, InstallationNotFound, AppPlanNotFound, NotSubscribed])
}).annotate(CallersOf, OWNERS)

/** Ends the subscription with the period that is paid for, or with its trial. */
export const cancelSubscription = Rpc.make("billing.cancel", {
  payload: { ...keyed, installationId: InstallationId },
  success: Subscription,
  error: Schema.Union([WriteRefused, InstallationNotFound, NotSubscribed])
}).annotate(CallersOf, OWNERS)

/** What apps cost. */
export class BillingRpcs extends RpcGroup.make(
  listAppPlans,
  currentSubscription,
  listSubscriptions,
  subscribe,
  changeSubscription,
  cancelSubscription
).middleware(Identified) {}
