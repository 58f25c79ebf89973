import { useState } from "react"
import { Button } from "../../ui/form/Button.tsx"
import { MutedText, Row, Stack } from "../../ui/layout/Page.tsx"
import css from "./Agents.module.css"
import { clientConfiguration } from "./agentForm.ts"

/** Configuration that connects an MCP client as this agent. */
export const ConnectionGuide = ({ token = "agent_…" }: { readonly token?: string }) => {
  const [copied, setCopied] = useState(false)
  const configuration = clientConfiguration(window.location.origin, token)
  const copy = async () => {
    await navigator.clipboard.writeText(configuration)
    setCopied(true)
  }
  return (
    <Stack>
      <p>Add this configuration to an MCP client, such as Claude Code or Cursor.</p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- What scrolls is for the keyboard too. */}
      <pre className={css["code"]} tabIndex={0} aria-label="Configuration">
        {configuration}
      </pre>
      <Row>
        <Button onClick={() => void copy()}>Copy configuration</Button>
        <output>{copied ? "Copied" : ""}</output>
      </Row>
      <MutedText>
        A client that supports sign-in needs only the address <code>{window.location.origin}/mcp</code>. It opens a page
        that asks for your consent, and creates its own agent.
      </MutedText>
    </Stack>
  )
}
