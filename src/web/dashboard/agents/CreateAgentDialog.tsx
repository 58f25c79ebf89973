import type { NewAgent } from "../../../domain/access/Agents.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Button } from "../../ui/form/Button.tsx"
import { Dialog } from "../../ui/layout/Dialog.tsx"
import { Row, Stack } from "../../ui/layout/Page.tsx"
import { SecretField } from "../../ui/form/SecretField.tsx"
import { useStoreId } from "../store.ts"
import { AgentFields } from "./AgentFields.tsx"
import { EMPTY_FORM } from "./agentForm.ts"
import { ConnectionGuide } from "./ConnectionGuide.tsx"

/** Token of a new agent. It is shown only once. */
const CreatedAgent = ({ close, token }: { readonly close: () => void; readonly token: string | null }) => (
  <Stack>
    {token === null ? (
      <p>
        The agent was created, but the response with its token did not arrive. Revoke this agent and create another one.
      </p>
    ) : (
      <>
        <SecretField label="Token" hint="The token is shown only once. Store it like a password." value={token} />
        <ConnectionGuide token={token} />
      </>
    )}
    <Row>
      <Button kind="strong" onClick={close}>
        Done
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
      title={creating.data === undefined ? "Create agent" : `${creating.data.name} created`}
      isOpen
      close={close}
      isWide
    >
      {creating.data === undefined ? (
        <AgentFields
          start={EMPTY_FORM}
          action="Create agent"
          save={(agent) => creating.mutate(agent)}
          isBusy={creating.isPending}
          error={creating.error}
          cancel={<Button onClick={close}>Cancel</Button>}
        />
      ) : (
        <CreatedAgent token={creating.data.token} close={close} />
      )}
    </Dialog>
  )
}
