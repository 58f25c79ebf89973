import { getRouteApi, Link, notFound } from "@tanstack/react-router"
import { createContext, useContext, useState } from "react"
import type { Agent, NewAgent } from "../../../domain/access/Agents.ts"
import { grantDescriptions } from "../../shared/data/grants.ts"
import { Time, Badge } from "../../shared/ui/display/Values.tsx"
import { ago } from "../../shared/data/format.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Confirm, Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { NotFoundPage, QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { BackLink, Card, Facts, Page, Row, Stack, FIRST_TAB, TabLinks } from "../../shared/ui/layout/Page.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useAgents, useEntries } from "../activity/activityQueries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { uiTexts } from "../../shared/sharedTexts.ts"
import { More } from "../../shared/ui/display/Table.tsx"
import { Timeline } from "../activity/Timeline.tsx"
import { UndoSpanDialog } from "../activity/UndoDialogs.tsx"
import { AgentFields, ConnectionGuide } from "./AgentFields.tsx"
import { formOf, agentStatusOf } from "./agentForm.ts"
import { agentTexts } from "./agentTexts.ts"

const route = getRouteApi("/dashboard/member/$storeId/agents/$agentId")

interface AgentProps {
  readonly agent: typeof Agent.Type
}

const OpenAgent = createContext<typeof Agent.Type | undefined>(undefined)

/** Agent of the page, for its tabs. */
const useAgent = (): typeof Agent.Type => {
  const agent = useContext(OpenAgent)
  if (agent === undefined) throw new Error("useAgent needs the page of an agent around it")
  return agent
}

const factsOf = ({ budget, createdAt, endsAt, lastUsedAt, window, writesToday }: typeof Agent.Type) => [
  [agentTexts.list.writesToday, agentTexts.list.used(writesToday, budget)] as const,
  [agentTexts.form.window, agentTexts.details.upTo(window)] as const,
  [agentTexts.list.lastUsed, lastUsedAt === null ? agentTexts.list.never : ago(lastUsedAt)] as const,
  [agentTexts.details.created, <Time key="created" at={createdAt} />] as const,
  ...(endsAt === null ? [] : [[agentTexts.details.expires, <Time key="expires" at={endsAt} />] as const])
]

const AgentPermissions = ({ agent }: AgentProps) => (
  <Card title={agentTexts.details.permissions}>
    <ul>
      {agent.scopes.map((scope) => (
        <li key={scope}>
          <strong>{grantDescriptions[scope].title}.</strong> {grantDescriptions[scope].text}
        </li>
      ))}
    </ul>
    <p>{agent.proposalsOnly ? agentTexts.details.approvalRequired : agentTexts.details.approvalNotRequired}</p>
    <Facts facts={factsOf(agent)} />
  </Card>
)

const EditAgentDialog = ({ agent, close }: AgentProps & { readonly close: () => void }) => {
  const storeId = useStoreId()
  const updating = useRpcMutation({
    write: (client, patch: Required<NewAgent>, idempotencyKey) =>
      client.agents.update({ storeId, idempotencyKey, id: agent.id, patch }),
    invalidates: [[storeId, "agents"]],
    onSuccess: () => {
      close()
      toast(agentTexts.details.updated)
    }
  })
  return (
    <Dialog title={agentTexts.details.edit(agent.name)} isOpen close={close} isWide>
      <AgentFields
        start={formOf(agent)}
        action={agentTexts.details.save}
        save={(patch) => updating.mutate(patch)}
        isBusy={updating.isPending}
        error={updating.error}
        cancel={<Button onClick={close}>{uiTexts.dialog.cancel}</Button>}
      />
    </Dialog>
  )
}

const RevokeAgentDialog = ({ agent, close }: AgentProps & { readonly close: () => void }) => {
  const storeId = useStoreId()
  const revoking = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.agents.revoke({ storeId, idempotencyKey, id: agent.id }),
    invalidates: [[storeId, "agents"]],
    onSuccess: () => {
      close()
      toast(agentTexts.details.revoked(agent.name))
    }
  })
  return (
    <Confirm
      title={agentTexts.details.confirmRevoke(agent.name)}
      action={agentTexts.details.revoke}
      isOpen
      close={close}
      confirm={() => revoking.mutate()}
      isBusy={revoking.isPending}
      error={revoking.error}
    >
      <p>{agentTexts.details.revokeAdvice}</p>
    </Confirm>
  )
}

const AgentView = ({ agent }: AgentProps) => {
  const storeId = useStoreId()
  const [open, setOpen] = useState<"change" | "revoke">()
  const [now] = useState(Date.now)
  const status = agentStatusOf(agent, now)
  const close = () => setOpen(undefined)
  const params = { storeId, agentId: agent.id }
  return (
    <Page
      title={agent.name}
      above={
        <BackLink to="/dashboard/$storeId/agents" params={{ storeId }}>
          {agentTexts.details.back}
        </BackLink>
      }
      actions={
        status === "active" ? (
          <>
            <Button onClick={() => setOpen("change")}>{agentTexts.details.editAgent}</Button>
            <Button kind="danger" onClick={() => setOpen("revoke")}>
              {agentTexts.details.revoke}
            </Button>
          </>
        ) : (
          <Badge tone="alert">
            {status === "revoked" ? agentTexts.details.states.revoked : agentTexts.details.states.expired}
          </Badge>
        )
      }
    >
      <AgentPermissions agent={agent} />
      <OpenAgent value={agent}>
        <TabLinks label={agentTexts.details.tabs.label}>
          <Link to="/dashboard/$storeId/agents/$agentId" params={params} activeOptions={FIRST_TAB} resetScroll={false}>
            {agentTexts.details.tabs.activity}
          </Link>
          {status === "active" ? (
            <Link to="/dashboard/$storeId/agents/$agentId/connection" params={params} resetScroll={false}>
              {agentTexts.details.tabs.connection}
            </Link>
          ) : undefined}
        </TabLinks>
      </OpenAgent>
      {open === "change" ? <EditAgentDialog agent={agent} close={close} /> : undefined}
      {open === "revoke" ? <RevokeAgentDialog agent={agent} close={close} /> : undefined}
    </Page>
  )
}

/** Permissions, activity and connection of an agent. */
export const AgentPage = () => {
  const { agentId } = route.useParams()
  const query = useAgents()
  const agent = query.data?.items.find(({ id }) => id === agentId)
  if (agent !== undefined) return <AgentView agent={agent} />
  if (query.data !== undefined) return <NotFoundPage />
  return (
    <Page title={agentTexts.details.fallbackTitle}>
      <QueryBoundary query={query}>{() => undefined}</QueryBoundary>
    </Page>
  )
}

/** Changes of an agent, with undo. */
export const AgentActivity = () => {
  const { id, name } = useAgent()
  const { query, items = [], more } = useEntries({ actorId: id })
  const [isUndoing, setUndoing] = useState(false)
  return (
    <Stack>
      {items.length === 0 ? undefined : (
        <Row>
          <Button onClick={() => setUndoing(true)}>{agentTexts.details.undoChanges}</Button>
        </Row>
      )}
      <QueryBoundary query={query}>
        {() =>
          items.length === 0 && !more.hasMore ? (
            <EmptyState title={agentTexts.details.noChanges}>
              <p>{agentTexts.details.noChangesAdvice}</p>
            </EmptyState>
          ) : (
            <>
              <Timeline entries={items} />
              <More {...more} />
            </>
          )
        }
      </QueryBoundary>
      {isUndoing ? <UndoSpanDialog actorId={id} name={name} close={() => setUndoing(false)} /> : undefined}
    </Stack>
  )
}

/** Connection of an agent that may still connect. */
export const AgentConnection = () => {
  const agent = useAgent()
  const [now] = useState(Date.now)
  if (agentStatusOf(agent, now) !== "active") throw notFound()
  return <ConnectionGuide />
}
