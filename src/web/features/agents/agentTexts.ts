import { t } from "@lingui/core/macro"
import { number } from "../../shared/data/format.ts"

/** Texts of the agent pages. */
export const agentTexts = {
  list: {
    title: t`Agents`,
    empty: t`No agents yet`,
    emptyAdvice: t`An agent is a program that works in your store with the permissions you give it. You can require approval for each of its changes.`,
    inactive: t`Inactive agents`,
    name: t`Name`,
    approval: t`Approval`,
    approvalRequired: t`Required`,
    approvalNotRequired: t`Not required`,
    permissions: t`Permissions`,
    writesToday: t`Writes today`,
    lastUsed: t`Last used`,
    never: t`Never`,
    status: t`Status`,
    expired: (since: string) => t`Expired ${since}`,
    revoked: (since: string) => t`Revoked ${since}`,
    used: (writes: number, limit: number) => t`${number(writes)} of ${number(limit)}`
  },
  create: {
    title: t`Create agent`,
    tokenLost: t`The agent was created, but the response with its token did not arrive. Revoke this agent and create another one.`,
    token: t`Token`,
    tokenHint: t`The token is shown only once. Store it like a password.`,
    done: t`Done`,
    created: (agent: string) => t`${agent} created`
  },
  form: {
    name: t`Name`,
    nameHint: t`Shown to the members of your store.`,
    permissions: t`Permissions`,
    requireApproval: t`Require approval`,
    requireApprovalHint: t`A member approves each change before it is made. Recommended for new agents.`,
    budget: t`Daily write limit`,
    budgetHint: (limit: number) => t`Up to ${number(limit)}. The limit resets at midnight UTC.`,
    window: t`Requests per minute`,
    windowHint: (limit: number) => t`Up to ${number(limit)} in any 60 seconds.`,
    noPermissions: t`Select at least one permission`
  },
  details: {
    fallbackTitle: t`Agent`,
    back: t`Agents`,
    undoChanges: t`Undo changes…`,
    noChanges: t`No changes yet`,
    noChangesAdvice: t`Changes that this agent makes appear here.`,
    upTo: (requests: number) => t`Up to ${number(requests)}`,
    created: t`Created`,
    expires: t`Expires`,
    permissions: t`Permissions`,
    approvalRequired: t`Approval: required. A member approves each change before it is made.`,
    approvalNotRequired: t`Approval: not required. You can undo the changes below.`,
    updated: t`Agent updated. The changes apply from its next request.`,
    edit: (agent: string) => t`Edit ${agent}`,
    save: t`Save agent`,
    editAgent: t`Edit agent`,
    revoke: t`Revoke agent`,
    revoked: (agent: string) => t`${agent} revoked`,
    confirmRevoke: (agent: string) => t`Revoke ${agent}?`,
    revokeAdvice: t`Its token stops working immediately, and you cannot reactivate it. Its changes are kept, and you can still undo them.`,
    states: {
      revoked: t`Revoked`,
      expired: t`Expired`
    },
    tabs: {
      label: t`Agent details`,
      activity: t`Activity`,
      connection: t`Connection`
    }
  },
  connection: {
    advice: t`Add this configuration to an MCP client, such as Claude Code or Cursor.`,
    configuration: t`Configuration`,
    signIn: (address: string) =>
      t`A client that supports sign-in needs only the address ${address}. It opens a page that asks for your consent, and creates its own agent.`
  }
} as const
