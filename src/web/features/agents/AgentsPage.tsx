import { Link } from "@tanstack/react-router"
import { useState } from "react"
import type { NewAgent, Agent } from "../../../domain/access/Agents.ts"
import { grantDescriptions } from "../../shared/data/grants.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { Row, Stack, Card, Page } from "../../shared/ui/layout/Page.tsx"
import { SecretField } from "../../shared/ui/display/Copyable.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { uiTexts } from "../../shared/sharedTexts.ts"
import { ago } from "../../shared/data/format.ts"
import { Badge } from "../../shared/ui/display/Values.tsx"
import { QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, Table } from "../../shared/ui/display/Table.tsx"
import { useAgents } from "../activity/activityQueries.ts"
import { AgentFields, ConnectionGuide } from "./AgentFields.tsx"
import { EMPTY_FORM, agentStatusOf } from "./agentForm.ts"
import { agentTexts } from "./agentTexts.ts"

/** Token of a new agent. It is shown only once. */
const CreatedAgent = ({ close, token }: { readonly close: () => void; readonly token: string | null }) => (
  <Stack>
    {token === null ? (
      <p>{agentTexts.create.tokenLost}</p>
    ) : (
      <>
        <SecretField label={agentTexts.create.token} hint={agentTexts.create.tokenHint} value={token} />
        <ConnectionGuide token={token} />
      </>
    )}
    <Row>
      <Button kind="strong" onClick={close}>
        {agentTexts.create.done}
      </Button>
    </Row>
  </Stack>
)

/** Creates an agent and shows its token once. */
const CreateAgentDialog = ({ close }: { readonly close: () => void }) => {
  const storeId = useStoreId()
  const creating = useRpcMutation({
    write: (client, agent: Required<NewAgent>, idempotencyKey) =>
      client.agents.create({ storeId, idempotencyKey, agent }),
    invalidates: [[storeId, "agents"]]
  })
  return (
    <Dialog
      title={creating.data === undefined ? agentTexts.create.title : agentTexts.create.created(creating.data.name)}
      isOpen
      close={close}
      isWide
    >
      {creating.data === undefined ? (
        <AgentFields
          start={EMPTY_FORM}
          action={agentTexts.create.title}
          save={(agent) => creating.mutate(agent)}
          isBusy={creating.isPending}
          error={creating.error}
          cancel={<Button onClick={close}>{uiTexts.dialog.cancel}</Button>}
        />
      ) : (
        <CreatedAgent token={creating.data.token} close={close} />
      )}
    </Dialog>
  )
}

type ListedAgent = typeof Agent.Type

const AgentLink = ({ agent: { id, name } }: { readonly agent: ListedAgent }) => {
  const storeId = useStoreId()
  return (
    <Link to="/dashboard/$storeId/agents/$agentId" params={{ storeId, agentId: id }}>
      {name}
    </Link>
  )
}

const NAME: Column<ListedAgent> = { name: agentTexts.list.name, cell: (agent) => <AgentLink agent={agent} /> }

const COLUMNS: ReadonlyArray<Column<ListedAgent>> = [
  NAME,
  {
    name: agentTexts.list.approval,
    cell: ({ proposalsOnly }) =>
      proposalsOnly ? (
        <Badge tone="good">{agentTexts.list.approvalRequired}</Badge>
      ) : (
        <Badge tone="warn">{agentTexts.list.approvalNotRequired}</Badge>
      )
  },
  {
    name: agentTexts.list.permissions,
    cell: ({ scopes }) => scopes.map((scope) => grantDescriptions[scope].title).join(" · ")
  },
  {
    name: agentTexts.list.writesToday,
    isNumber: true,
    cell: ({ budget, writesToday }) => agentTexts.list.used(writesToday, budget)
  },
  {
    name: agentTexts.list.lastUsed,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? agentTexts.list.never : ago(lastUsedAt))
  }
]

const INACTIVE_COLUMNS: ReadonlyArray<Column<ListedAgent>> = [
  NAME,
  {
    name: agentTexts.list.status,
    cell: ({ endsAt, revokedAt }) =>
      revokedAt === null ? agentTexts.list.expired(ago(endsAt ?? "")) : agentTexts.list.revoked(ago(revokedAt))
  }
]

const Agents = ({ agents, create }: { readonly agents: ReadonlyArray<ListedAgent>; readonly create: () => void }) => {
  const [now] = useState(Date.now)
  const active = agents.filter((agent) => agentStatusOf(agent, now) === "active")
  const inactive = agents.filter((agent) => agentStatusOf(agent, now) !== "active")
  return (
    <>
      {active.length === 0 ? (
        <EmptyState title={agentTexts.list.empty}>
          <p>{agentTexts.list.emptyAdvice}</p>
          <Button kind="strong" onClick={create}>
            {agentTexts.create.title}
          </Button>
        </EmptyState>
      ) : (
        <Card>
          <Table caption={agentTexts.list.title} columns={COLUMNS} rows={active} keyOf={({ id }) => id} />
        </Card>
      )}
      {inactive.length === 0 ? undefined : (
        <Card title={agentTexts.list.inactive}>
          <Table caption={agentTexts.list.inactive} columns={INACTIVE_COLUMNS} rows={inactive} keyOf={({ id }) => id} />
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
      title={agentTexts.list.title}
      isWide
      actions={
        <Button kind="strong" onClick={create}>
          {agentTexts.create.title}
        </Button>
      }
    >
      <QueryBoundary query={query}>{({ items }) => <Agents agents={items} create={create} />}</QueryBoundary>
      {isCreating ? <CreateAgentDialog close={() => setCreating(false)} /> : undefined}
    </Page>
  )
}
