// Ask questions with a real client, and print what it gave: `node run.mjs CLIENT < tasks.json`.
// A task is {name, url, form, query, limit_ms}; the output is one JSON object, by name: {rows}, {triples}, {turtle}, {boolean},
// {done} or {error}.

import { readFileSync } from 'node:fs'

const LIMIT_MS = 10_000

const clients = {
  'fetch-sparql-endpoint': async () => {
    const { SparqlEndpointFetcher } = await import('fetch-sparql-endpoint')
    const fetcher = new SparqlEndpointFetcher()
    return {
      select: async ({ url, query }) => rows(await all(await fetcher.fetchBindings(url, query))),
      ask: ({ url, query }) => fetcher.fetchAsk(url, query),
      construct: async ({ url, query }) => triples(await all(await fetcher.fetchTriples(url, query))),
      update: ({ url, query }) => fetcher.fetchUpdate(url, query)
    }
  },
  'sparql-http-client': async () => {
    const { default: Client } = await import('sparql-http-client')
    const at = (url) => new Client({ endpointUrl: url, updateUrl: url }).query
    return {
      select: async ({ url, query }) => rows(await all(at(url).select(query))),
      ask: ({ url, query }) => at(url).ask(query),
      construct: async ({ url, query }) => triples(await all(at(url).construct(query))),
      update: ({ url, query }) => at(url).update(query)
    }
  },
  'sparql-http-client/SimpleClient': async () => {
    const { default: Client } = await import('sparql-http-client/SimpleClient.js')
    const at = (url) => new Client({ endpointUrl: url, updateUrl: url }).query
    const checked = async (response) => {
      if (!response.ok) throw new Error(await response.text())
      return response
    }
    return {
      select: async ({ url, query }) => rows((await (await checked(await at(url).select(query))).json()).results.bindings),
      ask: async ({ url, query }) => (await (await checked(await at(url).ask(query))).json()).boolean,
      construct: async ({ url, query }) => ({ turtle: await (await checked(await at(url).construct(query))).text() }),
      update: async ({ url, query }) => { await checked(await at(url).update(query)) }
    }
  },
  comunica: async () => {
    const { QueryEngine } = await import('@comunica/query-sparql')
    const engine = new QueryEngine()
    // Without a type, Comunica finds out by itself that the address is an endpoint.
    const context = ({ url }) => ({ sources: [url], destination: { type: 'sparql', value: url } })
    return {
      select: async (task) => rows((await (await engine.queryBindings(task.query, context(task))).toArray()).map(
        (binding) => Object.fromEntries([...binding].map(([name, term]) => [name.value, term])))),
      ask: (task) => engine.queryBoolean(task.query, context(task)),
      construct: async (task) => triples(await (await engine.queryQuads(task.query, context(task))).toArray()),
      update: (task) => engine.queryVoid(task.query, context(task))
    }
  }
}

const rows = (bindings) => ({
  rows: bindings.map((row) => Object.fromEntries(Object.entries(row).map(([name, term]) => [name, term.value])))
})
const triples = (quads) => ({ triples: quads.map((quad) => [quad.subject.value, quad.predicate.value, quad.object.value]) })

function all (stream) {
  return new Promise((resolve, reject) => {
    const items = []
    stream.on('data', (item) => items.push(item))
    stream.on('end', () => resolve(items))
    stream.on('error', reject)
  })
}

// Some clients let the error of a body escape: the program that uses them would end, so that counts as noticed.
let escape = () => {}
process.on('uncaughtException', (error) => escape(error))
process.on('unhandledRejection', (error) => escape(error))

async function run (client, task) {
  const escaped = new Promise((resolve, reject) => { escape = reject })
  let timer
  const late = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the client hangs')), task.limit_ms ?? LIMIT_MS)
  })
  try {
    const result = await Promise.race([client[task.form](task), escaped, late])
    if (task.form === 'ask') return { boolean: result }
    return result ?? { done: true }
  } catch (error) {
    return { error: String(error?.message ?? error) }
  } finally {
    clearTimeout(timer)
  }
}

const client = await clients[process.argv[2]]()
const results = {}
for (const task of JSON.parse(readFileSync(0, 'utf8'))) {
  results[task.name] = await run(client, task)
}
process.stdout.write(JSON.stringify(results), () => process.exit(0))
