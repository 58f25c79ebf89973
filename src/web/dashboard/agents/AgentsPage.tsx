import { Link } from "@tanstack/react-router"
import { useState } from "react"
import type { Agent } from "../../../domain/access/Agents.ts"
import { GRANT_DESCRIPTIONS } from "../../../domain/access/GrantDescriptions.ts"
import { ago, number } from "../../data/format.ts"
import { Badge } from "../../ui/display/Badge.tsx"
import { Button } from "../../ui/form/Button.tsx"
import { Card, Page } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/display/QueryBoundary.tsx"
import { type Column, Table } from "../../ui/display/Table.tsx"
import { useAgents } from "../activity/useActors.ts"
import { useStoreId } from "../store.ts"
import { agentStatusOf } from "./agentForm.ts"
import { CreateAgentDialog } from "./CreateAgentDialog.tsx"

type Row = typeof Agent.Type

const AgentLink = ({ agent: { id, name } }: { readonly agent: Row }) => {
  const storeId = useStoreId()
  return (
    <Link to="/dashboard/$storeId/agents/$agentId" params={{ storeId, agentId: id }}>
      {name}
    </Link>
  )
}

const NAME: Column<Row> = { name: "Name", cell: (agent) => <AgentLink agent={agent} /> }

const COLUMNS: ReadonlyArray<Column<Row>> = [
  NAME,
  {
    name: "Approval",
    cell: ({ proposalsOnly }) =>
      proposalsOnly ? <Badge tone="good">Required</Badge> : <Badge tone="warn">Not required</Badge>
  },
  { name: "Permissions", cell: ({ scopes }) => scopes.map((scope) => GRANT_DESCRIPTIONS[scope].title).join(" · ") },
  {
    name: "Writes today",
    isNumber: true,
    cell: ({ budget, writesToday }) => `${number(writesToday)} of ${number(budget)}`
  },
  { name: "Last used", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : ago(lastUsedAt)) }
]

const INACTIVE_COLUMNS: ReadonlyArray<Column<Row>> = [
  NAME,
  {
    name: "Status",
    cell: ({ endsAt, revokedAt }) => (revokedAt === null ? `Expired ${ago(endsAt ?? "")}` : `Revoked ${ago(revokedAt)}`)
  }
]

const Agents = ({ agents, create }: { readonly agents: ReadonlyArray<Row>; readonly create: () => void }) => {
  const [now] = useState(Date.now)
  const active = agents.filter((agent) => agentStatusOf(agent, now) === "active")
  const inactive = agents.filter((agent) => agentStatusOf(agent, now) !== "active")
  return (
    <>
      {active.length === 0 ? (
        <EmptyState title="No agents yet">
          <p>
            An agent is a program that works in your store with the permissions you give it. You can require approval
            for each of its changes.
          </p>
          <Button kind="strong" onClick={create}>
            Create agent
          </Button>
        </EmptyState>
      ) : (
        <Card>
          <Table caption="Agents" columns={COLUMNS} rows={active} keyOf={({ id }) => id} />
        </Card>
      )}
      {inactive.length === 0 ? undefined : (
        <Card title="Inactive agents">
          <Table caption="Inactive agents" columns={INACTIVE_COLUMNS} rows={inactive} keyOf={({ id }) => id} />
        </Card>
      )}
    </>
  )
}

/** Agents of the store. */
export const AgentsPage = () => {
  const query = useAgents()
  const [isCreating, setCreating] = useState(false)
  const create = () => setCreating(true)
  return (
    <Page
      title="Agents"
      isWide
      actions={
        <Button kind="strong" onClick={create}>
          Create agent
        </Button>
      }
    >
      <QueryBoundary query={query}>{({ items }) => <Agents agents={items} create={create} />}</QueryBoundary>
      {isCreating ? <CreateAgentDialog close={() => setCreating(false)} /> : undefined}
    </Page>
  )
}
