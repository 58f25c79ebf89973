import { CodeBlock } from "../../shared/ui/display/Copyable.tsx"
import { MutedText, Stack } from "../../shared/ui/layout/Page.tsx"
import { clientConfiguration } from "./agentForm.ts"
import { agentTexts } from "./agentTexts.ts"

/** Configuration that connects an MCP client as this agent. */
export const ConnectionGuide = ({ token = "agent_…" }: { readonly token?: string }) => {
  const configuration = clientConfiguration(window.location.origin, token)
  return (
    <Stack>
      <p>{agentTexts.connection.advice}</p>
      <CodeBlock title={agentTexts.connection.configuration} text={configuration} />
      <MutedText>
        {agentTexts.connection.signIn.before}
        <code>{window.location.origin}/mcp</code>
        {agentTexts.connection.signIn.after}
      </MutedText>
    </Stack>
  )
}
