import { plural, t } from "@lingui/core/macro"
import { number } from "../../shared/data/format.ts"

/** Texts of the proposals page. */
export const proposalTexts = {
  list: {
    title: t`Proposals`,
    tabs: {
      pending: t`Pending`,
      decided: t`Decided`
    },
    noPending: t`No proposals to review`,
    agents: t`Agents`,
    moreLater: t`Decide these proposals to see more.`,
    noDecided: t`No decided proposals`,
    noDecidedAdvice: t`Proposals that were decided in the last 30 days appear here.`,
    decidedCaption: t`Decided proposals`,
    proposal: t`Proposal`,
    agent: t`Agent`,
    status: t`Status`,
    date: t`Date`,
    reason: t`Reason`,
    noPendingAdvice: (agents: string) =>
      t`Changes that agents propose appear here for your approval. To require it, edit an agent under ${agents}.`
  },
  states: {
    pending: t`Pending`,
    approved: t`Approved`,
    rejected: t`Rejected`,
    withdrawn: t`Withdrawn`,
    expired: t`Expired`
  },
  formerAgent: t`A former agent`,
  /** Titles by procedure. */
  actions: {
    "products.create": (name: string) => t`Create ${name}`,
    "products.update": (name: string) => t`Update ${name}`,
    "products.delete": (name: string) => t`Delete ${name}`,
    "inventory.change": (name: string) => t`Update the stock of ${name}`,
    "collections.create": (name: string) => t`Create the collection ${name}`,
    "collections.update": (name: string) => t`Update the collection ${name}`,
    "collections.delete": (name: string) => t`Delete the collection ${name}`,
    "files.fetch": (host: string) => t`Copy the picture at ${host}`,
    "changeSets.apply": () => t`Apply the change set`
  },
  deletedItem: t`a deleted item`,
  filter: {
    agent: t`Agent`,
    allAgents: t`All agents`
  },
  approveAll: {
    open: (proposals: number) => t`Approve ${plural(proposals, { one: "# proposal", other: "# proposals" })}…`,
    title: (proposals: number) => t`Approve ${plural(proposals, { one: "# proposal", other: "# proposals" })}?`,
    item: (proposal: string, agent: string) => t`${proposal} · ${agent}`,
    action: (proposals: number) => t`Approve ${plural(proposals, { one: "# proposal", other: "# proposals" })}`,
    progress: (approved: number, proposals: number) => t`Approved ${number(approved)} of ${number(proposals)}`,
    stopped: (proposal: string, approved: number) =>
      t`${plural(approved, { one: "# proposal", other: "# proposals" })} approved. “${proposal}” was refused, and the proposals after it are still pending.`,
    approvedToast: (proposals: number) => t`${plural(proposals, { one: "# proposal", other: "# proposals" })} approved`
  },
  edit: {
    state: t`Approved with edits`,
    open: t`Edit and approve…`,
    openProposal: (proposal: string) => t`Edit and approve: ${proposal}`,
    title: (proposal: string) => t`Edit and approve: ${proposal}`,
    advice: (agent: string) => t`Your values replace those of ${agent}, which can read what you changed.`,
    kept: (fields: string) => t`Stays as proposed: ${fields}.`,
    noForm: t`These values cannot be edited here. Approve the proposal and edit the result, or reject it with a reason.`,
    action: t`Approve with these values`,
    approvedToast: (proposal: string) => t`Approved with your values: ${proposal}`
  },
  card: {
    current: t`Current`,
    proposed: t`Proposed`,
    fetch: (url: string) => t`The service fetches ${url} and stores the picture in your files.`,
    changeSet: (changed: number) => t`${plural(changed, { one: "# row changes", other: "# rows change" })}.`,
    unavailable: t`The proposed action is no longer available. Reject this proposal.`,
    outdated: t`Changed since the proposal was made.`,
    outdatedAdvice: t`You can no longer approve it. Reject it so that the agent can propose again.`,
    changedField: (field: string, before: string, after: string) =>
      t`${field} from ${before || t`empty`} to ${after || t`empty`}`,
    rejectedToast: (proposal: string) => t`Rejected: ${proposal}`,
    reject: {
      title: (proposal: string) => t`Reject: ${proposal}`,
      reason: t`Reason`,
      reasonHint: (agent: string) => t`${agent} reads the reason and can propose again.`,
      reasonMissing: t`Enter a reason`,
      action: t`Reject proposal`,
      open: t`Reject…`
    },
    approvedToast: (proposal: string) => t`Approved: ${proposal}`,
    approveProposal: (proposal: string) => t`Approve: ${proposal}`,
    approve: t`Approve`,
    agentReason: (agent: string, reason: string) => t`Reason of ${agent}: “${reason}”`,
    rejectProposal: (proposal: string) => t`Reject: ${proposal}`,
    summary: (agent: string, createdAt: string, expiresAt: string) => t`${agent} · ${createdAt} · expires ${expiresAt}`
  }
} as const
