export const upperFirst = (text) => text.charAt(0).toUpperCase() + text.slice(1)
export const lowerFirst = (text) => text.charAt(0).toLowerCase() + text.slice(1)

/** Makes a doc comment of paragraphs and tags. */
export const comment = (paragraphs, tags = []) => {
  const text = [...paragraphs.filter((paragraph) => paragraph !== undefined), tags.join("\n")].join("\n\n").trim()
  if (text === "") return ""
  const lines = text.replaceAll("*/", "*\\/").split("\n")
  return lines.length === 1
    ? `/** ${text} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`
}
