import { number } from "../../shared/data/format.ts"

/** Texts of the agent pages. */
export const agentTexts = {
  list: {
    title: "Agents",
    empty: "No agents yet",
    emptyAdvice:
      "An agent is a program that works in your store with the permissions you give it. You can require approval for each of its changes.",
    inactive: "Inactive agents",
    name: "Name",
    approval: "Approval",
    approvalRequired: "Required",
    approvalNotRequired: "Not required",
    permissions: "Permissions",
    writesToday: "Writes today",
    lastUsed: "Last used",
    never: "Never",
    status: "Status",
    expired: (since: string) => `Expired ${since}`,
    revoked: (since: string) => `Revoked ${since}`,
    used: (writes: number, limit: number) => `${number(writes)} of ${number(limit)}`
  },
  create: {
    title: "Create agent",
    tokenLost:
      "The agent was created, but the response with its token did not arrive. Revoke this agent and create another one.",
    token: "Token",
    tokenHint: "The token is shown only once. Store it like a password.",
    done: "Done",
    created: (agent: string) => `${agent} created`
  },
  form: {
    name: "Name",
    nameHint: "Shown to the members of your store.",
    permissions: "Permissions",
    requireApproval: "Require approval",
    requireApprovalHint: "A member approves each change before it is made. Recommended for new agents.",
    budget: "Daily write limit",
    budgetHint: (limit: number) => `Up to ${number(limit)}. The limit resets at midnight UTC.`,
    window: "Requests per minute",
    windowHint: (limit: number) => `Up to ${number(limit)} in any 60 seconds.`,
    noPermissions: "Select at least one permission"
  },
  details: {
    fallbackTitle: "Agent",
    back: "Agents",
    undoChanges: "Undo changes…",
    noChanges: "No changes yet",
    noChangesAdvice: "Changes that this agent makes appear here.",
    upTo: (requests: number) => `Up to ${number(requests)}`,
    created: "Created",
    expires: "Expires",
    permissions: "Permissions",
    approvalRequired: "Approval: required. A member approves each change before it is made.",
    approvalNotRequired: "Approval: not required. You can undo the changes below.",
    updated: "Agent updated. The changes apply from its next request.",
    edit: (agent: string) => `Edit ${agent}`,
    save: "Save agent",
    editAgent: "Edit agent",
    revoke: "Revoke agent",
    revoked: (agent: string) => `${agent} revoked`,
    confirmRevoke: (agent: string) => `Revoke ${agent}?`,
    revokeAdvice:
      "Its token stops working immediately, and you cannot reactivate it. Its changes are kept, and you can still undo them.",
    states: {
      revoked: "Revoked",
      expired: "Expired"
    },
    tabs: {
      label: "Agent details",
      activity: "Activity",
      connection: "Connection"
    }
  },
  connection: {
    advice: "Add this configuration to an MCP client, such as Claude Code or Cursor.",
    configuration: "Configuration",
    signIn: {
      before: "A client that supports sign-in needs only the address ",
      after: ". It opens a page that asks for your consent, and creates its own agent."
    }
  }
} as const
