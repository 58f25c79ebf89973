import { notFound } from "@tanstack/react-router"
import { useState } from "react"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { More } from "../../shared/ui/display/Table.tsx"
import { Timeline } from "../activity/Timeline.tsx"
import { useEntries } from "../activity/useEntries.ts"
import { UndoSpanDialog } from "../activity/UndoSpanDialog.tsx"
import { useAgent } from "./AgentPage.tsx"
import { agentStatusOf } from "./agentForm.ts"
import { ConnectionGuide } from "./ConnectionGuide.tsx"
import { agentTexts } from "./agentTexts.ts"

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
