import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import type { Agent, NewAgent } from "../../../domain/access/Agents.ts"
import { GRANT_DESCRIPTIONS } from "../../../domain/access/GrantDescriptions.ts"
import { ago, number, time } from "../../data/format.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Badge } from "../../ui/display/Badge.tsx"
import { Button } from "../../ui/form/Button.tsx"
import { Confirm, Dialog } from "../../ui/layout/Dialog.tsx"
import { NotFoundPage } from "../../ui/layout/ErrorPage.tsx"
import { Card, Facts, Page, Row, Stack } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/display/QueryBoundary.tsx"
import { More } from "../../ui/display/Table.tsx"
import { Tabs } from "../../ui/layout/Tabs.tsx"
import { toast } from "../../ui/display/Toasts.tsx"
import { Timeline } from "../activity/Timeline.tsx"
import { useAgents } from "../activity/useActors.ts"
import { useEntries } from "../activity/useEntries.ts"
import { useStoreId } from "../store.ts"
import { AgentFields } from "./AgentFields.tsx"
import { formOf, agentStatusOf } from "./agentForm.ts"
import { ConnectionGuide } from "./ConnectionGuide.tsx"
import { UndoSpanDialog } from "./UndoSpanDialog.tsx"

const route = getRouteApi("/dashboard/member/$storeId/agents/$agentId")

interface AgentProps {
  readonly agent: typeof Agent.Type
}

const AgentActivity = ({ agent: { id, name } }: AgentProps) => {
  const { query, items = [], more } = useEntries({ actorId: id })
  const [isUndoing, setUndoing] = useState(false)
  return (
    <Stack>
      {items.length === 0 ? undefined : (
        <Row>
          <Button onClick={() => setUndoing(true)}>Undo changes…</Button>
        </Row>
      )}
      <QueryBoundary query={query}>
        {() =>
          items.length === 0 && !more.hasMore ? (
            <EmptyState title="No changes yet">
              <p>Changes that this agent makes appear here.</p>
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

const factsOf = ({ budget, createdAt, endsAt, lastUsedAt, window, writesToday }: typeof Agent.Type) => [
  ["Writes today", `${number(writesToday)} of ${number(budget)}`] as const,
  ["Requests per minute", `Up to ${number(window)}`] as const,
  ["Last used", lastUsedAt === null ? "Never" : ago(lastUsedAt)] as const,
  ["Created", time(createdAt)] as const,
  ...(endsAt === null ? [] : [["Expires", time(endsAt)] as const])
]

const AgentPermissions = ({ agent }: AgentProps) => (
  <Card title="Permissions">
    <ul>
      {agent.scopes.map((scope) => (
        <li key={scope}>
          <strong>{GRANT_DESCRIPTIONS[scope].title}.</strong> {GRANT_DESCRIPTIONS[scope].text}
        </li>
      ))}
    </ul>
    <p>
      {agent.proposalsOnly
        ? "Approval: required. A member approves each change before it is made."
        : "Approval: not required. You can undo the changes below."}
    </p>
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
      toast("Agent updated. The changes apply from its next request.")
    }
  })
  return (
    <Dialog title={`Edit ${agent.name}`} isOpen close={close} isWide>
      <AgentFields
        start={formOf(agent)}
        action="Save agent"
        save={(patch) => updating.mutate(patch)}
        isBusy={updating.isPending}
        error={updating.error}
        cancel={<Button onClick={close}>Cancel</Button>}
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
      toast(`${agent.name} revoked`)
    }
  })
  return (
    <Confirm
      title={`Revoke ${agent.name}?`}
      action="Revoke agent"
      isOpen
      close={close}
      confirm={() => revoking.mutate()}
      isBusy={revoking.isPending}
      error={revoking.error}
    >
      <p>Its token stops working immediately and for good. Its changes are kept, and you can still undo them.</p>
    </Confirm>
  )
}

const AgentView = ({ agent }: AgentProps) => {
  const storeId = useStoreId()
  const [open, setOpen] = useState<"change" | "revoke">()
  const [now] = useState(Date.now)
  const status = agentStatusOf(agent, now)
  const close = () => setOpen(undefined)
  return (
    <Page
      title={agent.name}
      above={
        <Link to="/dashboard/$storeId/agents" params={{ storeId }}>
          Agents
        </Link>
      }
      actions={
        status === "active" ? (
          <>
            <Button onClick={() => setOpen("change")}>Edit agent</Button>
            <Button kind="danger" onClick={() => setOpen("revoke")}>
              {" "}
              Revoke agent{" "}
            </Button>
          </>
        ) : (
          <Badge tone="alert">{status === "revoked" ? "Revoked" : "Expired"}</Badge>
        )
      }
    >
      <AgentPermissions agent={agent} />
      <Tabs
        label="Agent details"
        tabs={[
          { name: "Activity", panel: <AgentActivity agent={agent} /> },
          ...(status === "active" ? [{ name: "Connection", panel: <ConnectionGuide /> }] : [])
        ]}
      />
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
    <Page title="Agent">
      <QueryBoundary query={query}>{() => undefined}</QueryBoundary>
    </Page>
  )
}
