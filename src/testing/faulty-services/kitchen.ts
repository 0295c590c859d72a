import { parseJsonText } from '../../contract/json.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { documentOf, inPath, inQuery, json } from './document-parts.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the kitchen, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'publishes without lines': 'publishRecipe/stated/without-line',
  'removes what is used': 'removeIngredient/stated/used-by-line',
  'plans a slot twice': 'createPlan/stated/once/date+slot',
  'gives a cook two plans': 'assignCook/stated/once/cook_id',
  'trims texts': 'createRecipe/values/blanks/shown',
  'has null for empty texts': 'createRecipe/values/empty-texts/shown',
  'ignores in_stock=false': 'listIngredients/in_stock=false/fits',
  'finds no list': 'listIngredients/name=absent',
  'finds no list in a range': 'listPlans/from=…/none',
  'sorts by id': 'listPlans/order/order',
  'hides cancelled plans': 'listPlans/status/none',
  'removes the lines of all recipes': 'removeLine/others/parent',
  'removes through another recipe': 'removeLine/wrong-parent',
  'tells capitals apart': 'listIngredients/q/case',
  'counts all ingredients': 'listIngredients/unit=g/total',
  'takes empty names': 'changeIngredient/name=""',
  'changes the one before, too': 'changeIngredient/neighbours',
  'publishes what is published': 'publishRecipe/stated/status=published',
  'skips records before it filters': 'listIngredients/unit/pages',
  'finds a record twice': 'listIngredients/q/once',
  'counts what is on the page': 'listIngredients/unit/counted',
  'ignores null in a change': 'changeIngredient/name=null',
  'finds a line in every recipe': 'readLine/parent',
  'counts what a search does not find': 'listIngredients/total',
  'answers a new record with another note': 'createIngredient/read',
  'trims texts in a change': 'changeIngredient/blanks',
  'publishes what is removed': 'publishRecipe/removed',
  'adds lines to what is removed': 'createLine/removed-parent',
  'keeps the day before': 'createCook/values/forms/shown',
  'resets days in a change': 'changeCook/kept/forms',
}

const body = (properties: object, ...required: string[]): object => ({
  requestBody: { required: true, ...json({ type: 'object', required, properties }) },
})
const answers = (
  status: number,
  schema: object | undefined,
  ...errors: number[]
): { readonly responses: object } => ({
  responses: {
    [status]: { description: 'Done.', ...(schema && json(schema)) },
    ...Object.fromEntries([401, ...errors].map((one) => [one, { description: 'No.' }])),
  },
})
const listed = (schema: object, ...parameters: object[]): object => ({
  parameters: [
    inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
    inQuery('offset', { type: 'integer', minimum: 0, default: 0 }),
    ...parameters,
  ],
  responses: {
    200: {
      description: 'Done.',
      headers: { 'X-Total-Count': { schema: { type: 'integer' } } },
      ...json({ type: 'array', items: schema }),
    },
    401: { description: 'No.' },
    422: { description: 'No.' },
  },
})
const withId = (properties: object): object => {
  const id = { type: 'integer', readOnly: true }
  const all = { id, ...properties }
  return { type: 'object', required: Object.keys(all), properties: all }
}

const title = { type: 'string', minLength: 1, maxLength: 80 }
const units = { type: 'string', enum: ['g', 'ml'] }
const reference = { type: 'integer', minimum: 1 }
const slots = { type: 'string', enum: ['lunch', 'dinner'] }
const note = { type: 'string', maxLength: 100, default: '' }
const ingredient = { name: title, unit: units, in_stock: { type: 'boolean' }, note }
const recipe = { title, description: { type: ['string', 'null'], maxLength: 200 } }
const line = {
  ingredient_id: reference,
  number: { type: 'integer', minimum: 1, maximum: 99, description: 'Unique in the recipe.' },
}
const plan = { date: { type: 'string', format: 'date' }, slot: slots, recipe_id: reference }
const cook = {
  name: title,
  born_on: { type: 'string', format: 'date' },
  email: { type: 'string', format: 'email' },
}
const shownCook = { ...withId(cook), required: ['id', 'name'] }
const states = { type: 'string', enum: ['planned', 'cancelled'], readOnly: true }
const recipeStates = { type: 'string', enum: ['draft', 'published'], readOnly: true }
const shownPlan = withId({ ...plan, status: states, cook_id: { type: ['integer', 'null'] } })
const shownRecipe = withId({ ...recipe, status: recipeStates })

const published = answers(200, shownRecipe, 404)

const DOCUMENT: JsonObject = documentOf('Kitchen', 'https://kitchen.example', {
  '/ingredients': {
    get: {
      operationId: 'listIngredients',
      ...listed(
        withId(ingredient),
        inQuery('q', { type: 'string' }, 'A part of the name or the note, in any case.'),
        inQuery('name', { type: 'string' }),
        inQuery('unit', units),
        inQuery('in_stock', { type: 'boolean' }),
      ),
    },
    post: {
      operationId: 'createIngredient',
      ...body(ingredient, 'name', 'unit', 'in_stock'),
      ...answers(201, withId(ingredient), 422),
    },
  },
  '/ingredients/{ingredient_id}': {
    ...inPath(reference, 'ingredient_id'),
    get: { operationId: 'readIngredient', ...answers(200, withId(ingredient), 404) },
    patch: {
      operationId: 'changeIngredient',
      ...body(ingredient),
      ...answers(200, withId(ingredient), 404, 422),
    },
    delete: {
      operationId: 'removeIngredient',
      description: 'An ingredient that a line uses cannot be removed (409).',
      ...answers(204, undefined, 404, 409),
    },
  },
  '/recipes': {
    get: { operationId: 'listRecipes', ...listed(shownRecipe) },
    post: {
      operationId: 'createRecipe',
      ...body(recipe, 'title'),
      ...answers(201, shownRecipe, 422),
    },
  },
  '/recipes/{recipe_id}': {
    ...inPath(reference, 'recipe_id'),
    get: { operationId: 'readRecipe', ...answers(200, shownRecipe, 404) },
    delete: {
      operationId: 'removeRecipe',
      description: 'Its lines are removed, too.',
      ...answers(204, undefined, 404, 409),
    },
  },
  '/recipes/{recipe_id}/publish': {
    ...inPath(reference, 'recipe_id'),
    post: {
      operationId: 'publishRecipe',
      description: 'Answers 409 unless the recipe has at least one line.',
      responses: {
        ...published.responses,
        409: { description: 'The recipe is not a draft, or it has no lines' },
      },
    },
  },
  '/recipes/{recipe_id}/lines': {
    ...inPath(reference, 'recipe_id'),
    get: { operationId: 'listLines', ...listed(withId(line)) },
    post: {
      operationId: 'createLine',
      ...body(line, 'ingredient_id', 'number'),
      ...answers(201, withId(line), 404, 409, 422),
    },
  },
  '/recipes/{recipe_id}/lines/{line_id}': {
    ...inPath(reference, 'recipe_id', 'line_id'),
    get: { operationId: 'readLine', ...answers(200, withId(line), 404) },
    delete: { operationId: 'removeLine', ...answers(204, undefined, 404) },
  },
  '/cooks': {
    post: {
      operationId: 'createCook',
      ...body(cook, 'name'),
      ...answers(201, shownCook, 422),
    },
  },
  '/cooks/{cook_id}': {
    ...inPath(reference, 'cook_id'),
    get: { operationId: 'readCook', ...answers(200, shownCook, 404) },
    patch: { operationId: 'changeCook', ...body(cook), ...answers(200, shownCook, 404, 422) },
    delete: { operationId: 'removeCook', ...answers(204, undefined, 404) },
  },
  '/plans': {
    get: {
      operationId: 'listPlans',
      description: 'Ordered by date, then by id.',
      ...listed(
        shownPlan,
        inQuery('status', { ...states, readOnly: false }),
        inQuery('from', { type: 'string', format: 'date' }, 'The first date.'),
      ),
    },
    post: {
      operationId: 'createPlan',
      description: 'One plan for a date and slot (409).',
      ...body(plan, 'date', 'slot', 'recipe_id'),
      ...answers(201, shownPlan, 409, 422),
    },
  },
  '/plans/{plan_id}': {
    ...inPath(reference, 'plan_id'),
    get: { operationId: 'readPlan', ...answers(200, shownPlan, 404) },
    delete: { operationId: 'removePlan', ...answers(204, undefined, 404) },
  },
  '/plans/{plan_id}/assign': {
    ...inPath(reference, 'plan_id'),
    post: {
      operationId: 'assignCook',
      description: 'Answers 409 if the cook already has another plan.',
      ...body({ cook_id: reference }, 'cook_id'),
      ...answers(200, shownPlan, 404, 409, 422),
    },
  },
})

const OPTIONAL: ReadonlySet<string> = new Set(['description', 'note', 'born_on', 'email'])

type Row = JsonObject & { readonly id: number }

const DAY = /^\d{4}-\d\d-\d\d$/

/** A kitchen with recipes, their lines, and plans for the days. */
class Kitchen {
  readonly #fault: string
  readonly #rows: Record<string, Row[]> = {
    ingredients: ['Flour', 'Milk', 'Sugar', 'Rye'].map((name, at) => ({
      ...{ id: at + 1, name, unit: at === 1 ? 'ml' : 'g', in_stock: at !== 2 },
      note: `${name} of this year`,
    })),
    recipes: [1, 2].map((id) => ({
      ...{ id, title: `Bread ${id}`, description: null, status: 'published' },
    })),
    lines: [1, 2].map((id) => ({ id, recipe_id: id, ingredient_id: 1, number: 1 })),
    cooks: [],
    plans: [3, 1, 2].map((day, at) => ({
      ...{ id: at + 1, date: `2026-05-0${day}`, slot: 'lunch', recipe_id: 1, cook_id: null },
      status: at === 0 ? 'cancelled' : 'planned',
    })),
  }
  #last = 10

  constructor(fault = 'none') {
    this.#fault = fault
  }

  get records(): readonly unknown[] {
    return Object.values(this.#rows).flat()
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const sent = parseJsonText(await request.text())
    const [status, value, total] =
      request.headers.get('Authorization') === 'Bearer key-of-eve'
        ? this.#answer(request.method, url, sent)
        : [401]
    const headers = { ...(total !== undefined && { 'X-Total-Count': String(total) }) }
    return value === undefined
      ? new Response(null, { status, headers })
      : Response.json(value, { status, headers })
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #table(name: string): Row[] {
    return this.#rows[name] ?? []
  }

  #answer(method: string, url: URL, sent: unknown): readonly [number, unknown?, number?] {
    const [name = '', id, below, inner, more] = url.pathname.slice(1).split('/')
    if (!(name in this.#rows) || more !== undefined) return [404]
    if (id === undefined)
      return method === 'GET' ? this.#list(name, url) : this.#create(name, sent, {})
    const row = this.#table(name).find((one) => String(one.id) === id)
    if (!row) return this.#absent(method, id, below, sent)
    if (below === 'lines') return this.#lines(method, url, row, inner, sent)
    if (below === 'publish') return this.#publish(row)
    if (below === 'assign') return this.#assign(row, sent)
    if (method === 'GET') return [200, shown(row)]
    return method === 'DELETE' ? this.#remove(name, row) : this.#change(name, row, sent)
  }

  #absent(
    method: string,
    id: string,
    below: string | undefined,
    sent: unknown,
  ): readonly [number, unknown?] {
    if (below === 'publish' && this.#has('publishes what is removed'))
      return [200, { id: Number(id), title: 'Bread', description: null, status: 'published' }]
    const isAdded = below === 'lines' && method === 'POST'
    if (isAdded && this.#has('adds lines to what is removed'))
      return this.#create('lines', sent, { recipe_id: Number(id) })
    return /^\d+$/.test(id) && id !== '0' ? [404] : [422]
  }

  #lines(
    method: string,
    url: URL,
    { id }: Row,
    inner: string | undefined,
    sent: unknown,
  ): readonly [number, unknown?, number?] {
    if (inner === undefined && method === 'GET') return this.#list('lines', url, id)
    if (inner === undefined) return this.#create('lines', sent, { recipe_id: id })
    const found = this.#table('lines').find((one) => String(one.id) === inner)
    const isAny =
      method === 'GET' ? 'finds a line in every recipe' : 'removes through another recipe'
    const isHere = found?.recipe_id === id || this.#has(isAny)
    if (!found || !isHere) return /^\d+$/.test(inner) && inner !== '0' ? [404] : [422]
    if (method === 'GET') return [200, shown(found)]
    const isGone = (one: Row): boolean =>
      one === found ||
      (this.#has('removes the lines of all recipes') && one.ingredient_id === found.ingredient_id)
    this.#rows.lines = this.#table('lines').filter((one) => !isGone(one))
    return [204]
  }

  #list(
    name: string,
    { searchParams }: URL,
    recipe?: number,
  ): readonly [number, unknown?, number?] {
    const { limit = '20', offset = '0', ...query } = Object.fromEntries(searchParams)
    if (!isNumber(limit, 1, 100) || !isNumber(offset, 0, 2 ** 31)) return [422]
    const all = this.#table(name).filter((one) => recipe === undefined || one.recipe_id === recipe)
    if (!isQuery(query)) return [422]
    const isEarly = this.#has('skips records before it filters') && Object.keys(query).length > 0
    const skipped = isEarly ? Number(offset) : 0
    const matching = all.slice(skipped).filter((one) => this.#matches(one, query))
    const isLost =
      (query.name !== undefined && this.#has('finds no list')) ||
      (query.from !== undefined && this.#has('finds no list in a range'))
    if (isLost && matching.length === 0) return [404]
    const isShown = (one: Row): boolean =>
      query.status !== undefined ||
      one.status !== 'cancelled' ||
      !this.#has('hides cancelled plans')
    const sorted = matching
      .filter(isShown)
      .sort((one, other) => this.#order(one).localeCompare(this.#order(other)) || one.id - other.id)
    const start = Number(offset) - skipped
    const hits = (one: Row): number =>
      [one.name, one.note].filter((text) =>
        String(text)
          .toLowerCase()
          .includes(query.q ?? ''),
      ).length
    const twice = sorted.flatMap((one) => Array.from({ length: Math.max(1, hits(one)) }, () => one))
    const found = query.q !== undefined && this.#has('finds a record twice') ? twice : sorted
    const page = found.slice(start, start + Number(limit))
    const counted = this.#has('counts what is on the page') ? page : sorted
    const count = this.#countsAll(query) ? all.length : counted.length
    return [200, page.map(shown), count]
  }

  #countsAll({ q }: Readonly<Record<string, string>>): boolean {
    const isSearched = q !== undefined && this.#has('counts what a search does not find')
    return isSearched || this.#has('counts all ingredients')
  }

  #order({ date, number }: Row): string {
    if (this.#has('sorts by id')) return ''
    return typeof date === 'string' ? date : String(number ?? '').padStart(2, '0')
  }

  #matches(one: Row, query: Readonly<Record<string, string>>): boolean {
    const isAnyStock = query.in_stock === 'false' && this.#has('ignores in_stock=false')
    const plain = (text: string): string =>
      this.#has('tells capitals apart') ? text : text.toLowerCase()
    return Object.entries(query).every(([name, value]) => {
      if (name === 'q') return plain(`${one.name} ${one.note}`).includes(plain(value))
      if (name === 'from') return String(one.date) >= value
      return (name === 'in_stock' && isAnyStock) || String(one[name]) === value
    })
  }

  #create(name: string, sent: unknown, given: JsonObject): readonly [number, unknown?] {
    const values = this.#valid(name, sent, true)
    if (!values) return [422]
    if (this.#isTaken(name, { ...values, ...given })) return [409]
    this.#last += 1
    const defaults: Record<string, JsonObject> = {
      ingredients: { note: '' },
      recipes: { description: null, status: 'draft' },
      plans: { status: 'planned', cook_id: null },
    }
    const row: Row = { id: this.#last, ...defaults[name], ...given, ...values }
    this.#table(name).push(row)
    const isOther = row.note === '' && this.#has('answers a new record with another note')
    return [201, shown(isOther ? { ...row, note: 'none' } : row)]
  }

  #isTaken(name: string, { date, slot, number, recipe_id }: JsonObject): boolean {
    if (name === 'plans')
      return (
        !this.#has('plans a slot twice') &&
        this.#table(name).some((one) => one.date === date && one.slot === slot)
      )
    return (
      name === 'lines' &&
      this.#table(name).some((one) => one.recipe_id === recipe_id && one.number === number)
    )
  }

  #change(name: string, row: Row, sent: unknown): readonly [number, unknown?] {
    const isLax = this.#has('ignores null in a change') && isObject(sent)
    const values = this.#valid(name, isLax ? withoutNull(sent) : sent, false)
    if (!values) return [422]
    const { born_on: _day, ...others } = row
    const isReset = this.#has('resets days in a change')
    const changed: Row = { ...(isReset ? { ...others, id: row.id } : row), ...values }
    const before = this.#has('changes the one before, too')
      ? this.#table(name).findLast(({ id }) => id < row.id)
      : undefined
    this.#rows[name] = this.#table(name).map((one) => {
      if (one === before) return { ...one, ...values }
      return one === row ? changed : one
    })
    return [200, shown(changed)]
  }

  #remove(name: string, row: Row): readonly [number] {
    const isUsed =
      (name === 'ingredients' &&
        !this.#has('removes what is used') &&
        this.#table('lines').some((one) => one.ingredient_id === row.id)) ||
      (name === 'recipes' && this.#table('plans').some((one) => one.recipe_id === row.id))
    if (isUsed) return [409]
    this.#rows[name] = this.#table(name).filter((one) => one !== row)
    if (name === 'recipes')
      this.#rows.lines = this.#table('lines').filter((one) => one.recipe_id !== row.id)
    return [204]
  }

  #publish(row: Row): readonly [number, unknown?] {
    const hasLines = this.#table('lines').some((one) => one.recipe_id === row.id)
    const isDraft = row.status === 'draft' || this.#has('publishes what is published')
    const isReady = isDraft && (hasLines || this.#has('publishes without lines'))
    return isReady ? this.#set('recipes', row, { status: 'published' }) : [409]
  }

  #assign(row: Row, sent: unknown): readonly [number, unknown?] {
    const cook = isObject(sent) ? sent.cook_id : undefined
    if (!this.#table('cooks').some(({ id }) => id === cook)) return [422]
    const isTaken = this.#table('plans').some((one) => one.cook_id === cook && one !== row)
    if (isTaken && !this.#has('gives a cook two plans')) return [409]
    return this.#set('plans', row, { cook_id: cook })
  }

  #set(name: string, row: Row, values: JsonObject): readonly [number, unknown] {
    const changed = { ...row, ...values }
    this.#rows[name] = this.#table(name).map((one) => (one === row ? changed : one))
    return [200, shown(changed)]
  }

  /** The values that a request may have; `undefined` when one is wrong, or is missing in a new record. */
  #valid(name: string, sent: unknown, isNew: boolean): JsonObject | undefined {
    if (!isObject(sent) || Array.isArray(sent)) return undefined
    const isReference = (of: string) => (value: unknown) =>
      this.#table(of).some(({ id }) => id === value)
    const isTitle = (value: unknown): boolean =>
      isText(value, isNew || !this.#has('takes empty names') ? 1 : 0, 80)
    const rules: Record<string, Record<string, (value: unknown) => boolean>> = {
      ingredients: {
        name: isTitle,
        unit: (value) => value === 'g' || value === 'ml',
        in_stock: (value) => typeof value === 'boolean',
        note: (value) => isText(value, 0, 100),
      },
      recipes: { title: isTitle, description: (value) => value === null || isText(value, 0, 200) },
      lines: {
        ingredient_id: isReference('ingredients'),
        number: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 99,
      },
      cooks: {
        name: isTitle,
        born_on: (value) => typeof value === 'string' && isDay(value),
        email: (value) => typeof value === 'string' && /^[^@\s]+@[^@\s]+\.\w+$/.test(value),
      },
      plans: {
        date: (value) => typeof value === 'string' && isDay(value),
        slot: (value) => value === 'lunch' || value === 'dinner',
        recipe_id: isReference('recipes'),
      },
    }
    const own = rules[name] ?? {}
    const isValid = Object.entries(own).every(([key, isRight]) =>
      key in sent ? isRight(sent[key]) : !isNew || OPTIONAL.has(key),
    )
    if (!isValid) return undefined
    const kept = Object.entries(sent).filter(([key]) => key in own)
    return Object.fromEntries(kept.map(([key, value]) => [key, this.#stored(value, isNew)]))
  }

  #stored(value: unknown, isNew: boolean): unknown {
    if (typeof value !== 'string') return value
    if (value === '' && this.#has('has null for empty texts')) return null
    if (isDay(value) && this.#has('keeps the day before'))
      return new Date(Date.parse(value) - 1).toISOString().slice(0, 10)
    const isTrimmed = this.#has(isNew ? 'trims texts' : 'trims texts in a change')
    return isTrimmed ? value.trim() : value
  }
}

function withoutNull(sent: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
}

function shown({ recipe_id, ...row }: Row): JsonObject {
  return 'number' in row || recipe_id === undefined ? row : { ...row, recipe_id }
}

function isText(value: unknown, least: number, most: number): boolean {
  return typeof value === 'string' && [...value].length >= least && [...value].length <= most
}

function isNumber(text: string, least: number, most: number): boolean {
  return /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most
}

function isDay(text: string): boolean {
  return (
    DAY.test(text) &&
    !Number.isNaN(Date.parse(text)) &&
    new Date(text).toISOString().startsWith(text)
  )
}

function isQuery(query: Readonly<Record<string, string>>): boolean {
  const allowed: Record<string, readonly string[]> = {
    ...{ unit: ['g', 'ml'], in_stock: ['true', 'false'], status: ['planned', 'cancelled'] },
  }
  return Object.entries(query).every(([name, value]) =>
    name === 'from' ? isDay(value) : (allowed[name]?.includes(value) ?? true),
  )
}

export const KITCHEN: FaultyService = {
  what: 'a service whose document states what its records have to do with each other',
  base: 'https://kitchen.example',
  options: { key: 'key-of-eve', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  create: (fault) => new Kitchen(fault),
}
