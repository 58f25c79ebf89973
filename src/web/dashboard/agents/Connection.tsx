import { useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { Quiet, Row, Stack } from "../../ui/Page.tsx"
import css from "./Agents.module.css"
import { configurationOf } from "./AgentForm.ts"

/** How a client of the Model Context Protocol reaches the store as this agent. */
export const Connection = ({ token = "agent_…" }: { readonly token?: string }) => {
  const [copied, setCopied] = useState(false)
  const configuration = configurationOf(window.location.origin, token)
  const copy = async () => {
    await navigator.clipboard.writeText(configuration)
    setCopied(true)
  }
  return (
    <Stack>
      <p>
        Give this to the program that is to work in the store: Claude Code, Cursor, or any other client of the Model
        Context Protocol.
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- What scrolls is for the keyboard too. */}
      <pre className={css["code"]} tabIndex={0} aria-label="Configuration">
        {configuration}
      </pre>
      <Row>
        <Button onClick={() => void copy()}>Copy the configuration</Button>
        <output>{copied ? "Copied" : ""}</output>
      </Row>
      <Quiet>
        A client that signs in by itself needs the address <code>{window.location.origin}/mcp</code> alone: it leads you
        to a page that asks for your consent, and makes an agent of its own.
      </Quiet>
    </Stack>
  )
}
