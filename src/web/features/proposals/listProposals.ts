import { Effect } from "effect"
import type { Client, StoreId } from "../../../rpc/Client.ts"
import { type ProposalRecord, proposalTitle } from "./proposalPreview.ts"
import { proposalTexts } from "./proposalTexts.ts"

/** Proposal with its title and the name of the agent. */
export type NamedProposal = ProposalRecord & { readonly title: string; readonly agentName: string }

type ListProposalsRequest = Parameters<Client["proposals"]["list"]>[0]

/** Page of proposals with names, loaded with one additional request. */
export const listProposals = Effect.fnUntraced(function* (client: Client, request: ListProposalsRequest) {
  const { storeId }: { readonly storeId: StoreId } = request
  const { items, nextCursor } = yield* client.proposals.list(request)
  const ids = [...new Set(items.flatMap(({ agentId, basedOn }) => [agentId, ...basedOn.map(({ id }) => id)]))]
  const resources = yield* client.activity.names({ storeId, ids })
  const names = new Map(resources.map(({ id, name }) => [id, name]))
  return {
    items: items.map((proposal): NamedProposal => ({
      ...proposal,
      title: proposalTitle(proposal, names),
      agentName: names.get(proposal.agentId) ?? proposalTexts.formerAgent
    })),
    nextCursor
  }
})
