// Checks the prose of documents and doc comments, and declared names: private words, and sentences that need a second
// reading. `npm run check:words`.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Folders whose doc comments and names are checked, in addition to the files directly in `src`. */
const SOURCE_FOLDERS = ["src/cli", "src/domain", "src/http", "src/rpc", "src/web", "src/layers", "test"]

const FILES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"]

/** The contract is given, 0015 records a former engine, and the test of this script has samples of wrong text. */
const EXEMPT = new Set([
  "docs/spec/partner-api-v1.md",
  "docs/decisions/0015-calls-are-answered-from-their-definitions.md",
  "test/scripts/Lint.test.ts"
])

const THING =
  "(?:code|column|document|error|field|header|log|message|page|reference|response|row|schema|server|service|table|test)"

/** Rules for the start of a sentence. Questions and headings are exempt. */
const OPENINGS = [
  [/^What\b/, "opens with a what-clause: name the thing"],
  [/^(?:Who|Whoever|Whom)\b/, "opens with a who-clause: name the actor"],
  [/^Whether\b/, "opens with a whether-clause"],
  [/^Of\b/, "opens with “Of”: start with the subject"],
  [/^That (?:a|an|each|every|it|no|nobody|somebody|the|there|they)\b/, "opens with a that-clause"],
  [/^(?:Nor|So) (?:are|did|do|does|had|has|have|is|was|were)\b/, "inversion: start with the subject"]
]

/** Rules for the whole text. */
const WORDS = [
  [/\b(?:amongOthers|overheard|rehears(?:al|als|e|ed|es|ing)|unsearched)\b/i, "private word"],
  [/\bstands? (?:apart|before|behind|beside|in|there|under)\b/, "metaphor: use “is in” or “is stored in”"],
  [/\b(?:are|be|is|was|were) told\b/, "personification: use “receives” or “is notified”"],
  [/\b(?:are|be|is|was|were) given up\b/, "use “is cancelled” or “is disconnected”"],
  [/\b(?:by|for|from|to) who\b/i, "name the actor"],
  [new RegExp(`\\b${THING}s? (?:hears?|knows?|says?|tells?|wants?)\\b`, "i"), "personification of code"]
]

/** Further rules for the first sentence of a doc comment. */
const COMMENT_OPENINGS = [
  [/^(?:How|That|Where)\b/, "start with a noun or verb phrase"],
  [/^When\b(?!.*,)/, "a when-clause without a main clause"]
]

/** Words that no declared name contains. */
const PRIVATE_WORD =
  /^(?:asked|heard|kept|leftovers?|likeness|overheard|patience|rehears\w*|settled|told|unsearched|wish(?:ed|es)?)$/i

/** Names that are private as a whole. */
const PRIVATE_NAME =
  /^(?:(?:is|was)?(?:amongOthers|groundMoved)|inTurn|nextTurn|given|held|made|own|room|taken|turn|wanted)$/i

/** Declared names that are error tags on the wire. */
const WIRE_NAMES = new Set(["NotKept"])

/** Prose without code, link targets and emphasis. */
const plain = (line) =>
  line
    .replaceAll(/`[^`]*`/g, "`…`")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/<https?:[^>]*>/g, "…")
    .replaceAll(/\*\*|[[\]]/g, "")

/** The sentences of a line: table cells and list items are lines of their own. */
const sentencesOf = (line) =>
  line
    .split(/\s\|\s|^\|\s|\s\|$/)
    .map((cell) => cell.replace(/^\s*(?:[-*>]|\d+\.)\s+/, "").trim())
    .flatMap((cell) => cell.split(/(?<=[.:!?])\s+/))
    .filter((sentence) => sentence !== "")

const matching = (rules, text) => rules.filter(([pattern]) => pattern.test(text)).map(([, rule]) => rule)

/** The findings in a line of prose. */
const findingsInProse = (text) => {
  const openings = sentencesOf(text)
    .filter((sentence) => !sentence.endsWith("?") && /\s/.test(sentence))
    .flatMap((sentence) => matching(OPENINGS, sentence).map((rule) => ({ sentence, rule })))
  return [...openings, ...wordsIn(text)]
}

const wordsIn = (text) =>
  WORDS.flatMap(([pattern, rule]) => {
    const [found] = pattern.exec(text) ?? []
    return found === undefined ? [] : [{ sentence: found, rule }]
  })

/** The findings of a Markdown text, each with its line. */
export const findingsIn = (markdown) => {
  let isCode = false
  return markdown.split("\n").flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    if (isCode || /^\s*```/.test(line)) return []
    const text = plain(line)
    const findings = /^#+ /.test(text) ? wordsIn(text) : findingsInProse(text)
    return findings.map((finding) => ({ line: index + 1, ...finding }))
  })
}

const lineAt = (text, index) => text.slice(0, index).split("\n").length

/** The findings in the doc comments of a source text. Examples are code. */
const findingsInComments = (source) =>
  [...source.matchAll(/^[ \t]*\/\*\*([^]*?)\*\//gm)].flatMap(({ 1: comment, index }) => {
    const [prose] = comment.replaceAll(/^[ \t]*\*[ \t]?/gm, "").split(/^\s*@example\b/m)
    const paragraphs = prose
      .split(/\n\s*\n|\n(?=\s*(?:[-*]|@\w+)\s)/)
      .map((text) => plain(text.replaceAll(/\s+/g, " ").trim()))
    const [first = ""] = sentencesOf(paragraphs[0] ?? "")
    const findings = [
      ...matching(COMMENT_OPENINGS, first).map((rule) => ({ sentence: first, rule })),
      ...paragraphs.flatMap(findingsInProse)
    ]
    return findings.map((finding) => ({ line: lineAt(source, index), ...finding }))
  })

const DECLARATIONS = [
  /\b(?:class|const|enum|function\*?|interface|let|type)\s+(?<name>[A-Za-z_$][\w$]*)/g,
  /\b(?:const|let)\s*[{[](?<names>[^}\]]*)[}\]]\s*=/g,
  /\((?<names>[^()]*)\)\s*(?::[^=(){};]+)?=>/g,
  /\bfunction\*?\s*\w*\((?<names>[^()]*)\)/g
]

const MEMBER = /^\s*(?:(?:override|readonly|static)\s+)*(?<name>[A-Za-z_$][\w$]*)\??\s*[:(<]/gm

const namesOf = ({ groups: { name, names = "" } }) =>
  name === undefined
    ? (names.replaceAll(/[{}[\]]/g, "").match(/(?<=^|,)\s*(?:\.\.\.)?[A-Za-z_$][\w$]*(?::\s*\w+(?=\s*(?:,|=|$)))?/g) ??
      [])
    : [name]

const blank = (text) => text.replaceAll(/[^\n]/g, " ")

/** Blanks comments and imports: names are checked where they are declared. */
const declarationsOnly = (source) =>
  source.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, blank).replaceAll(/^import\b[^]*?["'][^"']+["'].*$/gm, blank)

const isPrivate = (name) => !WIRE_NAMES.has(name) && name.split(/(?=[A-Z])|_/).some((word) => PRIVATE_WORD.test(word))

/** The private names that a source text declares. Members with a common word may be fields on the wire. */
const findingsInNames = (source) => {
  const code = declarationsOnly(source)
  const declared = DECLARATIONS.flatMap((pattern) =>
    [...code.matchAll(pattern)].flatMap((match) =>
      namesOf(match)
        .map((name) => name.replace(/^[^]*[\s.:]/, ""))
        .filter((name) => isPrivate(name) || PRIVATE_NAME.test(name))
        .map((name) => ({ line: lineAt(code, match.index), name }))
    )
  )
  const members = [...code.matchAll(MEMBER)]
    .map((match) => ({ line: lineAt(code, match.index + match[0].search(/\S/)), name: match.groups.name }))
    .filter(({ name }) => isPrivate(name))
  return [...declared, ...members].map(({ line, name }) => ({ line, sentence: name, rule: "private name" }))
}

/** The findings of a TypeScript text, each with its line. */
export const findingsInSource = (source) =>
  [...findingsInComments(source), ...findingsInNames(source)].toSorted((a, b) => a.line - b.line)

const documents = () =>
  readdirSync("docs", { recursive: true, encoding: "utf8" })
    .map((file) => join("docs", file))
    .filter((file) => file.endsWith(".md") && !EXEMPT.has(file))
    .toSorted()

const sources = () =>
  [
    ...readdirSync("src").map((file) => join("src", file)),
    ...SOURCE_FOLDERS.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file))
    )
  ]
    .filter((file) => /\.tsx?$/.test(file) && !EXEMPT.has(file))
    .toSorted()

const excerpt = (sentence) => (sentence.length > 60 ? `${sentence.slice(0, 60)}…` : sentence)

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2)
  const files = named.length > 0 ? named : [...FILES, ...documents(), ...sources()]
  const lines = files.flatMap((file) =>
    (file.endsWith(".md") ? findingsIn : findingsInSource)(readFileSync(file, "utf8")).map(
      ({ line, rule, sentence }) => `${file}:${line}: ${rule}: ${excerpt(sentence)}\n`
    )
  )
  process.stdout.write(lines.join(""))
  process.exitCode = lines.length === 0 ? 0 : 1
}
