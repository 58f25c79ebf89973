import { count, number } from "../../shared/data/format.ts"

/** Texts of the proposals page. */
export const proposalTexts = {
  list: {
    title: "Proposals",
    tabs: {
      pending: "Pending",
      decided: "Decided"
    },
    noPending: "No proposals to review",
    agents: "Agents",
    moreLater: "Decide these proposals to see more.",
    noDecided: "No decided proposals",
    noDecidedAdvice: "Proposals that were decided in the last 30 days appear here.",
    decidedCaption: "Decided proposals",
    proposal: "Proposal",
    agent: "Agent",
    status: "Status",
    date: "Date",
    reason: "Reason",
    noPendingAdvice: {
      before: "Changes that agents propose appear here for your approval. To require it, edit an agent under ",
      after: "."
    }
  },
  states: {
    pending: "Pending",
    approved: "Approved",
    rejected: "Rejected",
    withdrawn: "Withdrawn",
    expired: "Expired"
  },
  formerAgent: "A former agent",
  /** Titles by procedure, before the name of the product or collection. */
  actions: {
    "products.create": "Create",
    "products.update": "Update",
    "products.delete": "Delete",
    "inventory.change": "Update the stock of",
    "collections.create": "Create the collection",
    "collections.update": "Update the collection",
    "collections.delete": "Delete the collection"
  },
  deletedItem: "a deleted item",
  filter: {
    agent: "Agent",
    allAgents: "All agents"
  },
  approveAll: {
    open: (proposals: number) => `Approve ${count(proposals, "proposal")}…`,
    title: (proposals: number) => `Approve ${count(proposals, "proposal")}?`,
    item: (proposal: string, agent: string) => `${proposal} · ${agent}`,
    action: (proposals: number) => `Approve ${count(proposals, "proposal")}`,
    progress: (approved: number, proposals: number) => `Approved ${number(approved)} of ${number(proposals)}`,
    stopped: (proposal: string, approved: number) =>
      `${count(approved, "proposal")} approved. “${proposal}” was refused, and the proposals after it are still pending.`,
    approvedToast: (proposals: number) => `${count(proposals, "proposal")} approved`
  },
  card: {
    current: "Current",
    proposed: "Proposed",
    unavailable: "The proposed action is no longer available. Reject this proposal.",
    outdated: "Changed since the proposal was made.",
    outdatedAdvice: "You can no longer approve it. Reject it so that the agent can propose again.",
    changedField: (field: string, before: string, after: string) =>
      `${field} from ${before || "empty"} to ${after || "empty"}`,
    rejectedToast: (proposal: string) => `Rejected: ${proposal}`,
    reject: {
      title: (proposal: string) => `Reject: ${proposal}`,
      reason: "Reason",
      reasonHint: (agent: string) => `${agent} reads the reason and can propose again.`,
      reasonMissing: "Enter a reason",
      action: "Reject proposal",
      open: "Reject…"
    },
    approvedToast: (proposal: string) => `Approved: ${proposal}`,
    approveProposal: (proposal: string) => `Approve: ${proposal}`,
    approve: "Approve",
    agentReason: (agent: string, reason: string) => `Reason of ${agent}: “${reason}”`,
    rejectProposal: (proposal: string) => `Reject: ${proposal}`,
    summary: (agent: string, createdAt: string, expiresAt: string) => `${agent} · ${createdAt} · expires ${expiresAt}`
  }
} as const
