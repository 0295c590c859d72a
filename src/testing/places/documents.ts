import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Contract } from '../../contract/contract.ts'
import { loadContract } from '../../document/load-contract.ts'

/** A request of a story: method and path, and a body as JSON or as text. `{name}` in the path is an id that the story knows. */
export type StoryRequest =
  | string
  | readonly [target: string, body: object]
  | readonly [target: string, body: string, type: string]

/** A document, and requests that its client would send. */
export interface StoryDocument {
  readonly name: string
  readonly file: string
  /** The headers of each request, such as credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** Ids by the name of the property that contains them. More are taken from the responses. */
  readonly ids: Readonly<Record<string, readonly [string, ...string[]]>>
  readonly requests: readonly [StoryRequest, ...StoryRequest[]]
}

const BASIC = { Authorization: `Basic ${btoa('ada:secret')}` }
const FORM = 'application/x-www-form-urlencoded'
const XML = 'application/xml'
const OUTCOMES = 'POST /__sandbox/outcomes'

/** Documents that differ in kind. Paths of the control interface start with `/__sandbox`. */
export const STORIES: readonly StoryDocument[] = [
  {
    name: 'the shipped document',
    file: fileURLToPath(new URL('../../../openapi.yaml', import.meta.url)),
    headers: { Authorization: 'Bearer sk_sandbox_enterprise' },
    ids: { id: ['1', '51', '999'] },
    requests: [
      'GET /v1/pets?limit=3',
      ['POST /v1/pets', { name: 'Rex', categoryId: 2 }],
      'GET /v1/pets/{id}',
      ['POST /v1/pets', { name: 'Ida', categoryId: 3, status: 'sold', colour: 'red' }],
      ['POST /v1/pets', { name: 'Ida' }],
      'GET /v1/pets?status=sold&limit=2',
      ['POST /__sandbox/records/pets', { name: 'Control', categoryId: 1 }],
      'GET /v1/pets?limit=100',
      'GET /__sandbox/records/pets',
    ],
  },
  {
    name: 'ids that clients choose',
    file: documentAt('labels'),
    headers: {},
    ids: { name: ['bug', 'urgent', 'later/now', 'from control'] },
    requests: [
      'GET /api/labels',
      ['POST /api/labels', { name: 'bug', colour: 'red' }],
      ['POST /api/labels', { name: 'bug', note: 'again' }],
      'GET /api/labels/{name}',
      ['PUT /api/labels/{name}', { name: 'urgent', colour: 'blue', uses: 9 }],
      ['PATCH /api/labels/{name}', { note: 'changed' }],
      ['POST /__sandbox/records/labels', { name: 'from control', colour: 'green', uses: 2 }],
      ['POST /api/labels', { name: 'from control' }],
      'GET /api/labels?colour=red',
      ['POST /api/labels', { colour: 'red' }],
      'DELETE /api/labels/{name}',
      ['POST /api/labels', { name: 'urgent' }],
      'GET /__sandbox/records/labels',
      'GET /api/labels',
    ],
  },
  {
    name: 'collections below records',
    file: documentAt('projects'),
    headers: { Authorization: 'Bearer any' },
    ids: { id: ['t_unknown1'], number: ['1', '404'] },
    requests: [
      'GET /v2/teams',
      'GET /v2/teams/{id}',
      'GET /v2/teams/{id}/projects?per_page=2&page=2',
      ['POST /v2/teams', { name: 'Core' }],
      ['POST /v2/teams/{id}/projects', { name: 'Engine' }],
      'GET /v2/teams/{id}/projects/{number}',
      ['PATCH /v2/teams/{id}/projects/{number}', { archived: true }],
      'GET /v2/teams/{id}/projects?archived=true',
      'GET /__sandbox/records',
      'GET /__sandbox/records/teams',
      ['POST /v2/teams/{id}/projects/{number}/comments', { text: 'First' }],
      'GET /v2/teams/{id}/projects/{number}/comments',
      'GET /v2/teams/{id}/projects',
      'DELETE /v2/teams/{id}/projects/{number}',
      'GET /v2/teams/{id}/projects/{number}',
      'DELETE /v2/teams/{id}',
      'GET /v2/teams/{id}/projects',
      'GET /v2/teams',
    ],
  },
  {
    name: 'envelopes with cursors',
    file: documentAt('invoices'),
    headers: { 'X-Api-Key': 'key_1' },
    ids: { id: ['inv_1f3a', 'inv_none'] },
    requests: [
      'GET /v1/invoices?limit=4',
      'GET /v1/invoices?limit=4&starting_after={id}',
      'GET /v1/invoices?status=open&sort=-amount',
      [
        'POST /v1/invoices',
        { invoice: { customer: 'Ada', amount: 120, lines: [{ text: 'Work', cents: 12000 }] } },
      ],
      'GET /v1/invoices/{id}',
      ['PUT /v1/invoices/{id}', { invoice: { amount: 1, status: 'paid', memo: 'Thanks' } }],
      'GET /v1/invoices/{id}',
      ['POST /v1/invoices', { invoice: { customer: 'Ada' } }],
      'DELETE /v1/invoices/{id}',
      'GET /v1/invoices?sort=created',
      'GET /__sandbox/records/invoices',
      'GET /v1/invoices?limit=5',
    ],
  },
  {
    name: 'actions and later changes',
    file: documentAt('orders'),
    headers: {},
    ids: { id: ['1', '3', '400'] },
    requests: [
      'GET /customers',
      'GET /orders',
      ['POST /orders', { customer_id: 1, note: 'Ring twice' }],
      'GET /orders/{id}',
      'POST /orders/{id}/pay',
      'POST /orders/{id}/cancel',
      'GET /orders?status=open',
      ['POST /__sandbox/clock', { advance: '11m' }],
      'GET /orders/{id}',
      ['POST /__sandbox/clock', { advance: '1h' }],
      'GET /orders?offset=3&limit=4',
      ['POST /orders', { note: 'Without a customer' }],
      'GET /orders?status=shipped',
      'GET /__sandbox/records/orders',
    ],
  },
  {
    name: 'single records and examples',
    file: documentAt('account'),
    headers: {},
    ids: { id: ['7', '9', '12'] },
    requests: [
      'GET /me-api/me',
      ['PATCH /me-api/me', { city: 'Vienna' }],
      'GET /me-api/settings',
      ['PUT /me-api/settings', { language: 'de' }],
      'GET /me-api/users',
      'GET /me-api/users/{id}',
      'GET /me-api/users/{id}/avatar',
      ['PUT /me-api/users/{id}/avatar', { url: 'https://account.example/a.png' }],
      ['POST /me-api/quote', { days: 3 }],
      'DELETE /me-api/users/{id}',
      'GET /me-api/users/{id}/avatar',
      'GET /__sandbox/records',
      'GET /__sandbox/records/me',
      'GET /__sandbox/records/settings',
      'GET /me-api/me',
    ],
  },
  {
    name: 'Swagger 2.0 with forms',
    file: documentAt('tickets'),
    headers: BASIC,
    ids: { key: ['T-1', 'none'] },
    requests: [
      'GET /rest/tickets?max=3',
      ['POST /rest/tickets', 'title=Leak&priority=2&tags=roof&tags=rain', FORM],
      'GET /rest/tickets/{key}',
      ['PUT /rest/tickets/{key}', { key: 'other', title: 'Mended', state: 'done', link: 'x:y' }],
      'GET /rest/tickets?state=done',
      ['POST /rest/tickets', 'priority=9', FORM],
      'GET /__sandbox/records/tickets',
      'DELETE /rest/tickets/{key}',
      'GET /rest/tickets/{key}',
    ],
  },
  {
    name: 'XML and CSV',
    file: documentAt('notes'),
    headers: {},
    ids: { id: ['1', '77'] },
    requests: [
      'GET /xml/notes',
      [
        'POST /xml/notes',
        '<note pinned="true"><title>Buy &lt;milk&gt;</title><tags><tag>shop</tag></tags></note>',
        XML,
      ],
      ['POST /xml/notes', { title: 'From JSON', pinned: false }],
      'GET /xml/notes/{id}',
      ['PUT /xml/notes/{id}', '<note><title>Changed</title></note>', XML],
      ['POST /xml/notes', '<note pinned="perhaps"/>', XML],
      'GET /__sandbox/records/notes',
      'DELETE /xml/notes/{id}',
      'GET /xml/notes/{id}',
    ],
  },
  {
    name: 'records with several keys',
    file: documentAt('keys'),
    headers: {},
    ids: { login: ['acme', 'nobody'], name: ['site'], key: ['WEB', 'NONE'], id: ['1'] },
    requests: [
      'GET /orgs',
      ['POST /orgs', { login: 'acme', title: 'Acme' }],
      ['POST /orgs', { login: 'acme', title: 'Again' }],
      'GET /orgs/{login}',
      'GET /orgs/{id}',
      ['POST /orgs/{id}/repos', { name: 'site' }],
      'GET /orgs/{login}/repos',
      'GET /orgs/{id}/repos/{name}',
      ['POST /projects', { key: 'WEB', title: 'Web' }],
      'GET /projects/{key}',
      ['POST /projects/{key}/tasks', { text: 'First' }],
      'GET /projects/{id}/tasks',
      ['PATCH /projects/{key}', { key: 'SITE' }],
      'GET /projects/{key}/tasks',
      'GET /__sandbox/records/projects',
      'DELETE /projects/{id}',
      'GET /projects/{key}',
      'DELETE /orgs/{id}',
      'GET /orgs/{login}/repos',
    ],
  },
  {
    name: 'records with several paths',
    file: documentAt('boards'),
    headers: {},
    ids: { board_id: ['2', '900'], id: ['1', '3'], note_id: ['note_00000000'], slug: ['core'] },
    requests: [
      ['POST /boards/1/columns', { name: 'doing', limit: 3 }],
      ['POST /boards/950/columns', { name: 'doing', limit: 4 }],
      'GET /columns?per_page=3',
      'GET /columns?per_page=50&page=2',
      'GET /teams/core/files',
      ['POST /teams', { slug: 'core' }],
      'GET /teams/core/files',
      ['POST /teams/{slug}/files', { name: 'plan.md' }],
      'GET /files/{slug}/plan.md',
      'GET /teams/{slug}/files',
      'GET /boards/900/cards',
      'GET /boards',
      ['POST /boards', { title: 'Plans' }],
      ['POST /boards/{board_id}/cards', { title: 'First', board_id: 1 }],
      'GET /boards/{board_id}/cards?state=open&per_page=3',
      ['POST /cards', { title: 'No such operation' }],
      'GET /cards/{id}',
      ['PATCH /cards/{id}', { board_id: 3, state: 'done' }],
      'GET /boards/3/cards',
      ['POST /cards/{id}/notes', { text: 'Ask Ada' }],
      'GET /cards/{id}/notes',
      'GET /cards/777/notes',
      'GET /notes/{note_id}',
      'DELETE /notes/{note_id}',
      'GET /boards',
      'GET /__sandbox/records',
      'GET /__sandbox/records/cards',
      'GET /__sandbox/records/notes',
      'DELETE /cards/{id}',
      'DELETE /boards/{board_id}',
      'GET /boards/{board_id}/cards',
      'GET /cards',
      'DELETE /teams/{slug}',
      'GET /files/{slug}/plan.md',
    ],
  },
  {
    name: 'the caller, and several records in one request',
    file: documentAt('contacts'),
    headers: { Authorization: 'Bearer ada' },
    ids: { id: ['1', '2', '999'] },
    requests: [
      'GET /v1/me',
      ['PATCH /v1/me', { city: 'Bern' }],
      'GET /v1/users',
      ['POST /v1/contacts/create', { contacts: [{ name: 'Ada' }, { name: 'Bob', city: 'Rome' }] }],
      'GET /v1/contacts/list',
      ['POST /v1/contacts/upsert', { id: 1, name: 'One' }],
      ['POST /v1/contacts/upsert', { name: 'New' }],
      'GET /v1/contacts/count',
      ['POST /v1/contacts/bulk_delete', { ids: [1, 999] }],
      'GET /v1/contacts/1',
      ['POST /v1/contacts/bulk_delete', { ids: [1, 2] }],
      'GET /v1/contacts/1',
      'GET /v1/contacts/count',
      'DELETE /v1/users/{id}',
      'GET /v1/me',
      'GET /v1/contacts/list',
    ],
  },
  {
    name: 'calls by name, and a key of a user',
    file: fileURLToPath(new URL('../guide/examples/calls.yaml', import.meta.url)),
    headers: { Authorization: 'Bearer sk_ada' },
    ids: { id: ['1', '2'] },
    requests: [
      ['POST /rpc', { id: 1, method: 'user.me' }],
      ['POST /rpc', { id: 2, method: 'task.create', params: { title: 'Write' } }],
      ['POST /rpc', { id: 3, method: 'task.create', params: { title: 'Print' } }],
      ['POST /rpc', { id: 4, method: 'task.list' }],
      ['POST /rpc', { id: 5, method: 'task.list', params: { order: 'age' } }],
      ['POST /rpc', { id: 6, method: 'task.get', params: { id: 11 } }],
      ['POST /rpc', { id: 7, method: 'task.rename', params: { taskId: 11, title: 'Read' } }],
      ['POST /rpc', { id: 8, method: 'task.finish', params: { id: 11 } }],
      ['POST /rpc', { id: 9, method: 'task.finish', params: { id: 11 } }],
      ['POST /rpc', { id: 10, method: 'task.remove', params: { id: 11 } }],
      ['POST /rpc', { id: 11, method: 'task.get', params: { id: 11 } }],
      ['POST /rpc', { id: 12, method: 'ping' }],
      'GET /__sandbox/records/tasks',
      ['PUT /__sandbox/keys/sk_ada', { user: 1 }],
      ['POST /rpc', { id: 13, method: 'user.me' }],
      ['POST /rpc', { id: 14, method: 'task.list' }],
    ],
  },
  {
    name: 'answers that rules force',
    file: documentAt('forced'),
    headers: {},
    ids: { id: ['1', '2', '999'] },
    requests: [
      [OUTCOMES, { operation: 'createTag', status: 409, fields: { label: 'is taken' }, times: 1 }],
      ['POST /api/tags', { label: 'one' }],
      [OUTCOMES, { operation: 'POST /tags', status: 202, body: { job: 'a' }, skip: 1, times: 1 }],
      ['POST /api/tags', { label: 'two' }],
      ['POST /api/tags', { label: 'three' }],
      [OUTCOMES, { operation: 'listTags', series: [503, 'next', { status: 500 }, 'next'] }],
      [OUTCOMES, { where: { query: { colour: 'red' } }, body: [], times: 2 }],
      'GET /api/tags',
      'GET /api/tags?colour=red',
      [OUTCOMES, { where: { body: { colour: 'no' } }, fields: { colour: 'is unknown' }, times: 2 }],
      ['POST /api/tags', { label: 'four', colour: 'no' }],
      ['POST /api/tags', { label: 'five', colour: 'blue' }],
      [OUTCOMES, { operation: 'createTag', flow: 'made', from: 'start', to: 'a tag: 1' }],
      [OUTCOMES, { operation: 'getTag', flow: 'made', from: 'a tag: 1', to: 'start', status: 404 }],
      'GET /api/tags/{id}',
      ['POST /api/tags', { label: 'six' }],
      'GET /api/tags/{id}',
      [OUTCOMES, { operation: 'createTag', example: 'taken', probability: 0.5, times: 1 }],
      ['POST /api/tags', { label: 'seven' }],
      [
        OUTCOMES,
        { operation: 'removeTag', fault: 'reset', headers: { 'X-Lost': 'yes' }, times: 1 },
      ],
      'GET /__sandbox/outcomes',
      'GET /api/tags',
    ],
  },
]

function documentAt(name: string): string {
  return fileURLToPath(new URL(`documents/${name}.yaml`, import.meta.url))
}

/** The name of the file of a document, such as `labels`. */
export function shortName({ file }: StoryDocument): string {
  return basename(file, '.yaml')
}

/** The contract of the document of a story, read anew: nothing that was kept for another contract concerns it. */
export function loadStory({ file }: StoryDocument): Promise<Contract> {
  return loadContract(file)
}
