import type { NewAgent } from "../../../domain/access/Agents.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { SecretField } from "../../shared/ui/display/Copyable.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { AgentFields } from "./AgentFields.tsx"
import { EMPTY_FORM } from "./agentForm.ts"
import { ConnectionGuide } from "./ConnectionGuide.tsx"
import { agentTexts } from "./agentTexts.ts"
import { uiTexts } from "../../shared/sharedTexts.ts"

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
export const CreateAgentDialog = ({ close }: { readonly close: () => void }) => {
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
