import type { NewAgent } from "../../../domain/access/Agents.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Row, Stack } from "../../ui/Page.tsx"
import { SecretField } from "../../ui/SecretField.tsx"
import { useStoreId } from "../Store.ts"
import { AgentFields } from "./AgentFields.tsx"
import { EMPTY_FORM } from "./AgentForm.ts"
import { Connection } from "./Connection.tsx"

/** The token of an agent that was made: it stands nowhere else, and goes with this. */
const Made = ({ close, token }: { readonly close: () => void; readonly token: string | null }) => (
  <Stack>
    {token === null ? (
      <p>
        The agent was created, but the response with its token did not arrive. Revoke this agent and create another one.
      </p>
    ) : (
      <>
        <SecretField label="Token" hint="The token is shown only once. Store it like a password." value={token} />
        <Connection token={token} />
      </>
    )}
    <Row>
      <Button kind="strong" onClick={close}>
        Done
      </Button>
    </Row>
  </Stack>
)

/** Makes an agent, and shows its token once. */
export const NewAgentDialog = ({ close }: { readonly close: () => void }) => {
  const storeId = useStoreId()
  const making = useRpcMutation({
    write: (client, agent: Required<NewAgent>, idempotencyKey) =>
      client.agents.create({ storeId, idempotencyKey, agent }),
    invalidates: [[storeId, "agents"]]
  })
  return (
    <Dialog
      title={making.data === undefined ? "Create agent" : `${making.data.name} created`}
      isOpen
      close={close}
      isWide
    >
      {making.data === undefined ? (
        <AgentFields
          start={EMPTY_FORM}
          action="Create agent"
          save={(agent) => making.mutate(agent)}
          isBusy={making.isPending}
          error={making.error}
          cancel={<Button onClick={close}>Cancel</Button>}
        />
      ) : (
        <Made token={making.data.token} close={close} />
      )}
    </Dialog>
  )
}
