import { expect, test } from 'vitest'
import { type OpenedApi, openApi } from '../../testing/documented-api.ts'

const TEXT = { type: 'string' }
const PROPERTIES = { org_id: TEXT, title: TEXT }
const REPO = {
  type: 'object',
  required: ['id', 'org_id', 'title'],
  properties: { id: { type: 'integer' }, ...PROPERTIES },
}
const SENT = { type: 'object', properties: PROPERTIES }

function openRepos(): Promise<OpenedApi> {
  return openApi({
    'POST /orgs/{org_id}/repos': { sent: SENT, shown: REPO, status: [201] },
    'GET /orgs/{org_id}/repos/{id}': { shown: REPO, status: [200, 404] },
    'PATCH /orgs/{org_id}/repos/{id}': { sent: SENT, shown: REPO },
  })
}

test('the parent in the path wins over the body of a creation and of a change, and the journal says so', async () => {
  const { ask, sandbox } = await openRepos()

  const { body: repo } = await ask('POST /orgs/acme/repos', { org_id: 'other', title: 'Web' })
  const { body: changed } = await ask(`PATCH /orgs/acme/repos/${repo.id}`, { org_id: 'other' })
  await ask(`PATCH /orgs/acme/repos/${repo.id}`, { org_id: 'acme' })

  expect([repo.org_id, changed.org_id]).toEqual(['acme', 'acme'])
  const note = { kind: 'overruled-property', place: 'body.org_id' }
  expect(sandbox.journal.exchanges.map(({ notes }) => notes)).toEqual([[note], [note], []])
})
