import { comment, lowerFirst, upperFirst } from "./words.mjs"

/* Methods of the client, from the operations of the OpenAPI document. */

const PREFIX = "/api/platform/v1"

/** The query parameters of pages. */
const PAGING = new Set(["cursor", "limit"])

const isPage = ({ properties }) => "nextCursor" in properties
const isDryRun = ({ properties }) => "dryRun" in properties
const isFeed = ({ properties }) => "nextPosition" in properties
const isAnswer = (form) => !isPage(form) && !isDryRun(form) && !isFeed(form)

const isUpload = ({ requestBody }) => requestBody !== undefined && "application/octet-stream" in requestBody.content
const jsonIn = ({ content }) => content["application/json"].schema
const successOf = ({ responses }) => jsonIn(Object.entries(responses).find(([status]) => status < "300")[1])

/** Finds the schemas of the success response. */
const formsOf = (operation, types) => {
  const { anyOf, ...form } = types.resolve(successOf(operation))
  return anyOf ?? [form]
}

/** Makes the schema of the effects in a dry run's result, which is the same for every write. */
export const dryRunEffectsIn = (operations, types) => {
  const [{ properties, required }] = operations.flatMap(({ operation }) => formsOf(operation, types).filter(isDryRun))
  const { data: _, ...effects } = properties
  return { description: "The effects that a write would have.", properties: effects, required }
}

/** Removes the verb of an operation's name, as in `createProduct`. */
const nounOf = ({ operationId }) => operationId.replace(/^[a-z]+/, "")

export const groupName = (tag) => tag.split(" ").map(upperFirst).join("")

/** Makes the name of a method: the verb only, if the noun is that of the group. */
const methodName = (operation, tag) => {
  const noun = nounOf(operation)
  const isGroupNoun = [groupName(tag), groupName(tag).replace(/s$/, "")].includes(noun)
  return isGroupNoun ? operation.operationId.slice(0, -noun.length) : operation.operationId
}

/** The type of a write's options by its headers. */
const OPTIONS = new Map([
  ["", "WriteOptions"],
  ["If-Match", "DeleteOptions"],
  ["X-Service-Event-Id", "CreateOptions"],
  ["If-Match X-Service-Event-Id", "UpdateOptions"]
])

/** Makes a template literal of a path with its parameters. */
const template = (path) => `\`${path.slice(PREFIX.length).replace(/\{(\w+)\}/g, "${pathSegment($1)}")}\``

const paramTags = (parameters) => parameters.map(({ description, name }) => `@param ${name} ${lowerFirst(description)}`)

const requiredIn = (parameters) =>
  `{ ${parameters.map(({ name }) => `${name}: required("${name}", ${name})`).join(", ")} }`

/** Makes the methods of an operation. One that returns a page or a resource has a method for each. */
export const methodsOf = ({ method, operation, path }, tag, types, parameterAt) => {
  const parameters = operation.parameters.map((one) => (one.$ref === undefined ? one : parameterAt(one.$ref)))
  const placed = (place) => parameters.filter((one) => one.in === place)
  const inPath = placed("path")
  const query = placed("query")
  const forms = formsOf(operation, types)
  const page = forms.find(isPage)
  const answer = forms.find(isAnswer)
  const name = methodName(operation, tag)
  const statuses = Object.keys(operation.responses).filter((status) => status >= "400")

  const typed = (args) => args.map(({ name, schema }) => `${name}: ${types.typeOf(schema)}`)
  const failures = `@throws ApiError of status ${statuses.join(", ")}, or ConnectionError without a response`
  const documentation = (args) =>
    comment([`${operation.summary}.`, operation.description], [...paramTags(args), failures])

  /** Declares a type for the result of a deletion. */
  const dataOf = ({ properties: { data } }) =>
    data.$ref === undefined && data.anyOf === undefined
      ? types.declare(`Deleted${nounOf(operation)}`, { ...data, description: "The deleted resource." })
      : types.typeOf(data)

  const list = () => {
    const [items] = Object.keys(page.properties)
    const filters = answer === undefined ? query : query.filter(({ name }) => PAGING.has(name))
    const part = path.split("/").at(-1)
    // A list of the parts of a resource has their name, as in `changeSets.results`.
    const isOfParts = inPath.length > 0 && !part.startsWith("{")
    const verb = operation.operationId.startsWith("search") ? "search" : isOfParts ? part : "list"
    const queryType = types.declareQuery(`${upperFirst(isOfParts ? "list" : verb)}${nounOf(operation)}Query`, filters)
    const args = [...typed(inPath), `query: ${queryType} = {}`, "options: CallOptions = {}"]
    const listing = verb === "search" ? "SearchListing" : "Listing"
    return `${documentation(inPath)}${verb}(${args.join(", ")}): ${listing}<${types.typeOf(page.properties[items].items)}> {
      return this.#api.${verb === "search" ? "search" : "list"}(${template(path)}, "${items}", { ...query }, options)
    }\n`
  }

  const read = () => {
    const filters = page === undefined ? query : query.filter(({ name }) => !PAGING.has(name))
    const all = [...inPath, ...filters]
    const args = [...typed(all), "options: CallOptions = {}"]
    return `${documentation(all)}${name}(${args.join(", ")}): Promise<Answer<${dataOf(answer)}>> {
      return this.#api.read(${template(path)}, ${requiredIn(filters)}, options)
    }\n`
  }

  const feed = () => {
    const page = types.typeOf(successOf(operation))
    const queryType = types.declareQuery(`${upperFirst(name)}Query`, query)
    return `${documentation([])}${name}(query: ${queryType} = {}, options: CallOptions = {}): Promise<${page}> {
      return this.#api.feed<${page}>(${template(path)}, { ...query }, options)
    }\n`
  }

  const upload = () => {
    const queryType = types.declareQuery(`${upperFirst(name)}${nounOf(operation)}Query`, query)
    const args = ["bytes: Blob | Uint8Array<ArrayBuffer>", `query: ${queryType} = {}`, "options: WriteOptions = {}"]
    return `${documentation([])}${name}(${args.join(", ")}): Promise<Answer<${dataOf(answer)}>> {
      return this.#api.upload(${template(path)}, { ...query }, options, bytes)
    }\n`
  }

  const write = () => {
    const headers = new Set(placed("header").map(({ name }) => name))
    const conditions = ["If-Match", "X-Service-Event-Id"].filter((header) => headers.has(header))
    const options = OPTIONS.get(conditions.join(" "))
    const all = [...inPath, ...query]
    const body = operation.requestBody === undefined ? [] : [lowerFirst(nounOf(operation))]
    const args = [...typed(all), ...body.map((name) => `${name}: ${types.typeOf(jsonIn(operation.requestBody))}`)]
    const data = dataOf(answer)
    if (!forms.some(isDryRun)) {
      const sent = [`"${method.toUpperCase()}"`, template(path), requiredIn(query), "options", ...body]
      return `${documentation(all)}${name}(${[...args, `options: WriteOptions = {}`].join(", ")}): Promise<Answer<${data}>> {
        return this.#api.perform<${data}>(${sent.join(", ")})
      }\n`
    }
    const dryRun = `${operation.summary} as a dry run. Returns the result or error of the write and its effects, and stores nothing.`
    const sent = [`"${method.toUpperCase()}"`, template(path), requiredIn(query), "options", ...body]
    return `${documentation(all)}${name}(${[...args, `options?: ${options}`].join(", ")}): Promise<Answer<${data}>>
    ${comment([dryRun], paramTags(all))}${name}(${[...args, `options: DryRun<${options}>`].join(", ")}): Promise<DryRunAnswer<${data}>>
    ${name}(${[...args, `options: ${options} | DryRun<${options}> = {}`].join(", ")}) {
      return this.#api.write<${data}>(${sent.join(", ")})
    }\n`
  }

  if (isUpload(operation)) return [upload()]
  if (method !== "get") return [write()]
  if (forms.some(isFeed)) return [feed()]
  return [...(page === undefined ? [] : [list()]), ...(answer === undefined ? [] : [read()])]
}
