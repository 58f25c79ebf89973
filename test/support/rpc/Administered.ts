import { Effect } from "effect"
import { Billing } from "../../../src/domain/billing/Billing.ts"
import type { AdministeredKind } from "../../../src/domain/journal/Kinds.ts"
import { randomUUID } from "node:crypto"
import { Email } from "../../../src/domain/access/Merchants.ts"
import { IdempotencyKey } from "../../../src/domain/Idempotency.ts"
import { makeApp } from "../http/Api.ts"
import { makeMerchant } from "./Merchants.ts"
import { freshMember } from "./Rpc.ts"
import { installApp } from "../webhooks/Webhooks.ts"

const PLAN = { price: 9.9, currencyCode: "EUR", period: "month", trialDays: 0 } as const
const SCOPES = ["read_products", "write_products"]

/** A store with an app that has two plans, its owner, and a merchant who is not a member yet. */
export const administrationScene = Effect.gen(function* () {
  const owner = yield* freshMember()
  const { storeId } = owner
  const appId = yield* makeApp()
  const { installation } = yield* installApp(storeId, appId)
  const billing = yield* Billing
  const [basic, pro] = [
    yield* billing.setPlan(appId, { ...PLAN, name: "Basic" }),
    yield* billing.setPlan(appId, { ...PLAN, name: "Pro", price: 20 })
  ]
  const { client } = owner
  const { id: invitationId } = yield* client.members.invite({
    storeId,
    idempotencyKey: IdempotencyKey.make(randomUUID()),
    email: Email.make(`${randomUUID()}@example.com`),
    role: "staff"
  })
  return { ...owner, appId, basic, guest: yield* makeMerchant(), invitationId, installationId: installation.id, pro }
})

/** Expected journal entry of a call by an owner. */
export interface ExpectedEntry {
  readonly tag: string
  readonly request: object
  readonly resource: AdministeredKind
  readonly resourceId?: string
  readonly before: object | null
  readonly after: object | null
  /** True if the same call with another key changes data again. */
  readonly isAnew?: boolean
}

/** At least one call of every administrative procedure, in order. One of them creates the agent. */
export const calls = ({
  appId,
  basic,
  guest,
  installationId,
  invitationId,
  merchantId,
  pro,
  storeId
}: Effect.Success<typeof administrationScene>) => {
  const guestIs = { merchantId: guest.id, name: "Ada" }
  const newAgent = { name: "Helper", scopes: SCOPES }
  const agentIs = { ...newAgent, budget: 1_000, window: 100, proposalsOnly: false, createdBy: merchantId }
  const appIs = { id: installationId, appId, appName: "An app", state: "active" }
  const basicIs = { installationId, planName: "Basic", price: 9.9, state: "active" }
  const proIs = { planName: "Pro", price: 20 }
  const ofApp = { resource: "installation", resourceId: installationId } as const
  const ofGuest = { resource: "member", resourceId: guest.id } as const
  const settings = { name: "Shop", timezone: "Europe/Berlin", locale: "en" }
  const invitation = { role: "staff", state: "open" }
  const all: ReadonlyArray<(agent: string) => ExpectedEntry> = [
    () => ({
      tag: "settings.update",
      request: { settings },
      resource: "settings",
      resourceId: storeId,
      before: { name: "A store", timezone: "UTC" },
      after: { name: "Shop", timezone: "Europe/Berlin" }
    }),
    () => ({
      tag: "members.join",
      request: { email: guest.email, role: "staff" },
      ...ofGuest,
      before: null,
      after: { ...guestIs, role: "staff" }
    }),
    () => ({
      tag: "members.join",
      request: { email: guest.email, role: "owner" },
      ...ofGuest,
      before: { role: "staff" },
      after: { role: "owner" }
    }),
    () => ({
      tag: "members.createResetLink",
      request: { merchantId: guest.id },
      ...ofGuest,
      before: { resetLink: null },
      after: { resetLink: "created" },
      isAnew: true
    }),
    () => ({
      tag: "members.leave",
      request: { merchantId: guest.id },
      ...ofGuest,
      before: { ...guestIs, role: "owner" },
      after: null
    }),
    () => ({
      tag: "members.invite",
      request: { email: guest.email, role: "staff" },
      resource: "invitation",
      before: null,
      after: invitation,
      isAnew: true
    }),
    () => ({
      tag: "members.revokeInvitation",
      request: { id: invitationId },
      resource: "invitation",
      resourceId: invitationId,
      before: invitation,
      after: null
    }),
    () => ({
      tag: "agents.create",
      request: { agent: newAgent },
      resource: "agent",
      before: null,
      after: agentIs,
      isAnew: true
    }),
    (agent) => ({
      tag: "agents.update",
      request: { id: agent, patch: { budget: 5, scopes: SCOPES.toReversed() } },
      resource: "agent",
      resourceId: agent,
      before: { budget: 1_000 },
      after: { budget: 5 }
    }),
    (agent) => ({
      tag: "agents.revoke",
      request: { id: agent },
      resource: "agent",
      resourceId: agent,
      before: { ...agentIs, budget: 5 },
      after: null
    }),
    () => ({
      tag: "installations.suspend",
      request: { id: installationId },
      ...ofApp,
      before: { state: "active" },
      after: { state: "suspended" }
    }),
    () => ({
      tag: "installations.resume",
      request: { id: installationId },
      ...ofApp,
      before: { state: "suspended" },
      after: { state: "active" }
    }),
    () => ({
      tag: "webhooks.pause",
      request: { installationId },
      ...ofApp,
      before: { deliveries: "active" },
      after: { deliveries: "paused" }
    }),
    () => ({
      tag: "webhooks.resume",
      request: { installationId },
      ...ofApp,
      before: { deliveries: "paused" },
      after: { deliveries: "active" }
    }),
    () => ({
      tag: "billing.subscribe",
      request: { installationId, planId: basic },
      resource: "subscription",
      before: null,
      after: basicIs
    }),
    () => ({
      tag: "billing.change",
      request: { installationId, planId: pro },
      resource: "subscription",
      before: { planName: "Basic", price: 9.9 },
      after: proIs,
      isAnew: true
    }),
    () => ({
      tag: "billing.cancel",
      request: { installationId },
      resource: "subscription",
      before: { installationId, ...proIs, state: "active" },
      after: null
    }),
    () => ({
      tag: "installations.uninstall",
      request: { id: installationId },
      ...ofApp,
      before: appIs,
      after: null
    })
  ]
  return all
}
