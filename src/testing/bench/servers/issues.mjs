// A hand-written implementation of `issues.yaml`: the issues of each repository in memory, without any check of keys or quotas.
import { readFile } from 'node:fs/promises'
import express from 'express'

const port = Number(process.argv[2])
const count = Number(process.argv[3])
const examples = JSON.parse(await readFile(new URL('issues.json', import.meta.url), 'utf8'))

/** The issues of each repository in the order of their numbers. */
const repositories = new Map()

function issuesOf({ org, repo }) {
  const key = `${org}/${repo}`
  const issues =
    repositories.get(key) ??
    Array.from({ length: count }, (_, at) => ({
      ...examples[at % examples.length],
      number: at + 1,
    }))
  repositories.set(key, issues)

  return issues
}

function list({ params, query, path, protocol, host }, response) {
  const { state, page = 1, per_page: size = 20 } = query
  const issues = issuesOf(params)
  const found = state === undefined ? issues : issues.filter((one) => one.state === state)
  const [number, pages] = [Number(page), Math.ceil(found.length / Number(size))]
  const link = (to) =>
    to < 1 || to > pages
      ? null
      : `${protocol}://${host}${path}?${new URLSearchParams({ ...query, page: to })}`
  response.json({
    data: found.slice((number - 1) * size, number * size),
    meta: { total: found.length, page: number, pages },
    links: { next: link(number + 1), prev: link(number - 1) },
  })
}

function read({ params }, response) {
  const issue = issuesOf(params)[Number(params.number) - 1]
  if (!issue) return response.status(404).json({ message: 'There is no such issue.' })
  response.json({ data: issue })
}

function create({ params, body }, response) {
  if (typeof body?.title !== 'string' || body.title === '')
    return response.status(400).json({ message: 'title is required.' })
  const issues = issuesOf(params)
  const number = issues.length + 1
  const now = new Date().toISOString()
  const author = { login: 'ada', url: 'https://example.com/ada' }
  const issue = { number, body: null, labels: [], ...body, author, state: 'open', created_at: now }
  issues.push(issue)
  response.status(201).json({ data: issue })
}

express()
  .get('/v1/orgs/:org/repos/:repo/issues', list)
  .get('/v1/orgs/:org/repos/:repo/issues/:number', read)
  .post('/v1/orgs/:org/repos/:repo/issues', express.json(), create)
  .listen(port)
