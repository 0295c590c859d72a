import type { VerifyOptions } from '../../verify/session/options.ts'
import {
  type CollectionOfService,
  type Fault,
  RecordService,
  type ServiceStyle,
} from './record-service.ts'

const CREDENTIALS = {
  shop: { key: 'shop-key-of-alice', otherKey: 'shop-key-of-bob' },
  projects: { key: 'token-of-alice', otherKey: 'token-of-bob' },
  catalogue: { key: 'alice:secret-of-alice' },
} as const

/** A service for tests, with what a run needs to test it. */
export interface ServiceForTests {
  readonly document: string
  readonly base: string
  readonly options: VerifyOptions
  readonly create: (fault?: Fault) => RecordService
}

const ALL = ['/GET', '/POST', ':GET']

const CUSTOMERS: CollectionOfService = {
  name: 'customers',
  words: ['customers'],
  id: 'id',
  ids: 'integer',
  fields: {
    name: { type: 'string', isRequired: true, least: 1, most: 60 },
    email: { type: 'string', isRequired: true, pattern: /^\S+@\S+$/ },
    tier: { type: 'string', members: ['basic', 'silver', 'gold'], preset: 'basic' },
    credit: { type: 'number', least: 0, most: 1000, preset: 0 },
    notes: { type: 'string' },
    subscribed: { type: 'boolean' },
  },
  methods: [...ALL, ':PATCH', ':DELETE'],
  filters: ['tier'],
  sorts: ['name', 'credit'],
  unique: 'email',
  made: () => ({ created_at: '2026-03-01T10:00:00Z' }),
}

const ADDRESSES: CollectionOfService = {
  name: 'addresses',
  words: ['customers', 'addresses'],
  id: 'id',
  ids: 'integer',
  fields: {
    street: { type: 'string', isRequired: true, least: 2, most: 80 },
    zip: { type: 'string', isRequired: true, pattern: /^\d{5}$/ },
    city: { type: 'string' },
    primary: { type: 'boolean' },
  },
  methods: [...ALL, ':PUT', ':DELETE'],
}

const ORDERS: CollectionOfService = {
  name: 'orders',
  words: ['orders'],
  id: 'id',
  ids: 'uuid',
  fields: {
    title: { type: 'string', isRequired: true, most: 40 },
    quantity: { type: 'integer', isRequired: true, least: 1, most: 99 },
    status: { type: 'string', members: ['draft', 'placed', 'cancelled'], preset: 'draft' },
  },
  methods: ALL,
  filters: ['status'],
  actions: { cancel: { set: { status: 'cancelled' }, once: true } },
}

const SHOP: ServiceStyle = {
  base: 'https://shop.example/v2',
  collections: [CUSTOMERS, ADDRESSES, ORDERS],
  userOf: ({ headers }) =>
    ({ [CREDENTIALS.shop.key]: 'alice', [CREDENTIALS.shop.otherKey]: 'bob' })[
      headers.get('X-Api-Key') ?? ''
    ],
  hasKey: ({ headers }) => headers.has('X-Api-Key'),
  hasOwners: true,
  foreign: 404,
  invalid: 400,
  size: { name: 'limit', preset: 20, most: 50 },
  paging: 'offset',
  sort: { by: 'sort' },
  isEnveloped: true,
  error: (status, message) => ({ error: { code: `e${status}`, message } }),
}

function shop(fault?: Fault): RecordService {
  const service = new RecordService(SHOP, fault)
  const tiers = ['basic', 'gold', 'silver', 'gold', 'basic', 'silver', 'gold']
  tiers.forEach((tier, at) => {
    const name = `${'MKBZQAT'[at]}. Customer`
    const customer = service.add('customers', 'alice', [], {
      ...{
        name,
        email: `customer${at}@shop.example`,
        tier,
        credit: (at * 37) % 100,
        notes: 'regular',
      },
    })
    for (const street of ['Long Street 1', 'Short Street 2']) {
      service.add('addresses', 'alice', [String(customer.value.id)], { street, zip: '12345' })
    }
  })
  service.add('customers', 'bob', [], { name: 'Other', email: 'other@shop.example', credit: 5 })
  for (const status of ['draft', 'placed', 'cancelled', 'placed']) {
    service.add('orders', 'alice', [], { title: 'Chairs', quantity: 4, status })
  }
  return service
}

const WORKSPACES: CollectionOfService = {
  name: 'workspaces',
  words: ['workspaces'],
  id: 'slug',
  ids: 'client',
  fields: {
    slug: { type: 'string', isRequired: true, pattern: /^[a-z0-9-]{3,40}$/ },
    name: { type: 'string', isRequired: true, least: 1, most: 50 },
  },
  methods: [...ALL, ':DELETE'],
}

const PROJECTS_OF: CollectionOfService = {
  name: 'projects',
  words: ['workspaces', 'projects'],
  id: 'id',
  ids: 'text',
  fields: {
    name: { type: 'string', isRequired: true, least: 1, most: 50 },
    budget: { type: 'integer', isRequired: true, least: 0, most: 100_000 },
    state: { type: 'string', members: ['active', 'paused', 'archived'], preset: 'active' },
    description: { type: 'string' },
    labels: { type: 'texts' },
  },
  methods: [...ALL, ':PATCH', ':DELETE'],
  filters: ['state'],
  sorts: ['name', 'budget'],
  actions: { archive: { set: { state: 'archived' } } },
  made: () => ({ created_at: '2026-03-01T10:00:00Z' }),
}

const TASKS: CollectionOfService = {
  name: 'tasks',
  words: ['workspaces', 'projects', 'tasks'],
  id: 'id',
  ids: 'text',
  fields: {
    title: { type: 'string', isRequired: true, least: 1, most: 120 },
    points: { type: 'integer', least: 1, most: 13 },
    done: { type: 'boolean', preset: false },
  },
  methods: [...ALL, ':PATCH', ':DELETE'],
  filters: ['done'],
}

const PROJECTS: ServiceStyle = {
  base: 'https://projects.example/api',
  collections: [WORKSPACES, PROJECTS_OF, TASKS],
  userOf: ({ headers }) =>
    ({
      [`Bearer ${CREDENTIALS.projects.key}`]: 'alice',
      [`Bearer ${CREDENTIALS.projects.otherKey}`]: 'bob',
    })[headers.get('Authorization') ?? ''],
  hasKey: ({ headers }) => headers.get('Authorization')?.startsWith('Bearer ') === true,
  hasOwners: true,
  foreign: 403,
  invalid: 422,
  size: { name: 'page_size', preset: 25, most: 100 },
  paging: 'cursor',
  sort: { by: 'order_by', direction: 'direction' },
  isEnveloped: true,
  error: (status, title) => ({ title, status }),
}

function projects(fault?: Fault): RecordService {
  const service = new RecordService(PROJECTS, fault)
  for (const slug of ['alpha', 'beta', 'gamma']) {
    service.add('workspaces', 'alice', [], { slug, name: slug.toUpperCase() })
    ;['Nile', 'Amazon', 'Danube', 'Rhine'].forEach((name, at) => {
      const state = at % 2 === 0 ? 'active' : 'paused'
      const project = service.add('projects', 'alice', [slug], {
        ...{ name, budget: (at * 700) % 900, state, description: 'A river' },
      })
      for (const done of [true, false, false]) {
        const parents = [slug, String(project.value.id)]
        service.add('tasks', 'alice', parents, { title: `Task of ${name}`, points: 3, done })
      }
    })
  }
  service.add('workspaces', 'bob', [], { slug: 'delta', name: 'Delta' })
  return service
}

const BOOKS: CollectionOfService = {
  name: 'books',
  words: ['books'],
  id: 'id',
  ids: 'integer',
  fields: {
    title: { type: 'string', isRequired: true, least: 1, most: 100 },
    genre: { type: 'string', isRequired: true, members: ['novel', 'poetry', 'science'] },
    pages: { type: 'integer', least: 1, most: 5000 },
    price: { type: 'number' },
    available: { type: 'boolean' },
    summary: { type: 'string' },
  },
  methods: [...ALL, ':PUT', ':PATCH', ':DELETE'],
  filters: ['genre'],
  sorts: ['title', 'pages'],
}

const AUTHORS: CollectionOfService = {
  name: 'authors',
  words: ['authors'],
  id: 'id',
  ids: 'integer',
  fields: {
    name: { type: 'string', isRequired: true, least: 1, most: 80 },
    born: { type: 'integer', least: 0, most: 2100 },
  },
  methods: [...ALL, ':DELETE'],
}

const CATALOGUE: ServiceStyle = {
  base: 'https://catalogue.example',
  collections: [BOOKS, AUTHORS],
  userOf: ({ headers }) =>
    headers.get('Authorization') === `Basic ${btoa(CREDENTIALS.catalogue.key)}`
      ? 'alice'
      : undefined,
  hasKey: ({ headers }) => headers.has('Authorization'),
  hasOwners: false,
  foreign: 404,
  invalid: 400,
  size: { name: 'per_page', preset: 30, most: 100 },
  paging: 'page',
  sort: { by: 'sort' },
  isEnveloped: false,
  error: (_status, message) => ({ message }),
}

function catalogue(fault?: Fault): RecordService {
  const service = new RecordService(CATALOGUE, fault)
  for (let at = 0; at < 37; at += 1) {
    const genre = ['novel', 'poetry', 'science'][at % 3]
    const title = `${String.fromCharCode(65 + ((at * 11) % 26))} book ${at}`
    service.add('books', 'alice', [], { title, genre, pages: 100 + ((at * 53) % 400), price: 9.95 })
  }
  for (let at = 0; at < 5; at += 1) service.add('authors', 'alice', [], { name: `Author ${at}` })
  return service
}

/** Services of three kinds: envelopes with offsets, nested collections with cursors, and bare arrays with pages. */
export const SERVICES: Readonly<Record<'shop' | 'projects' | 'catalogue', ServiceForTests>> = {
  shop: serviceOf('shop', SHOP, shop),
  projects: serviceOf('projects', PROJECTS, projects),
  catalogue: serviceOf('catalogue', CATALOGUE, catalogue),
}

function serviceOf(
  name: keyof typeof CREDENTIALS,
  { base }: ServiceStyle,
  create: (fault?: Fault) => RecordService,
): ServiceForTests {
  return {
    document: `src/testing/faulty-services/${name}.yaml`,
    base,
    options: { ...CREDENTIALS[name], writes: true },
    create,
  }
}
