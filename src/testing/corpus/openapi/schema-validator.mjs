// Validates values by the schemas of a document, with Ajv and nothing of the sandbox.
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { toJsonSchema, toRegExp } from './json-schema.mjs'
import { resolved, valueAt } from './references.mjs'

/** Schemas of requests, where `readOnly` properties are not required, or of responses, where `writeOnly` ones are not. */
export class SchemaValidator {
  #document
  #hidden
  #ajv = createAjv()
  /** The converted schemas by the schema of the document. */
  #converted = new Map()
  #checks = new Map()

  /** `direction` is `request` or `response`. */
  constructor(document, direction) {
    this.#document = document
    this.#hidden = direction === 'request' ? 'readOnly' : 'writeOnly'
  }

  /**
   * What is wrong with a value, in one sentence; `undefined` when it is valid. Everything is valid by a schema that cannot be
   * used.
   */
  errorIn(schema, value) {
    if (schema === undefined) return undefined
    const check = this.#checkOf(schema)
    if (!check || check(value)) return undefined
    return this.#ajv.errorsText(check.errors?.slice(0, 3), { dataVar: 'body' })
  }

  isValid(schema, value) {
    return this.errorIn(schema, value) === undefined
  }

  /** The schema with everything that it refers to, as one JSON Schema. */
  bundle(schema) {
    const name = this.#nameOf(schema)
    const entries = [...this.#converted.values()].map((one) => [one.name, one.schema])
    const needed = new Map()
    const add = (wanted) => {
      if (needed.has(wanted)) return
      const text = JSON.stringify(entries.find(([entry]) => entry === wanted)?.[1] ?? true)
      needed.set(wanted, text)
      for (const [, inner] of text.matchAll(/"\$ref":"(schema\d+)"/g)) add(inner)
    }
    add(name)
    const $defs = Object.fromEntries(
      [...needed].map(([key, text]) => [
        key,
        JSON.parse(text.replace(/"\$ref":"(schema\d+)"/g, '"$ref":"#/$defs/$1"')),
      ]),
    )
    return { ...$defs[name], $defs }
  }

  #checkOf(schema) {
    const name = this.#nameOf(schema)
    if (!this.#checks.has(name)) this.#checks.set(name, this.#compile(name))
    return this.#checks.get(name)
  }

  #compile(name) {
    try {
      return this.#ajv.compile({ $ref: name })
    } catch {
      return undefined
    }
  }

  /** The name of a schema. It and all that it refers to are added on first use. */
  #nameOf(schema) {
    const known = this.#converted.get(schema)
    if (known) return known.name

    const entry = { name: `schema${this.#converted.size}`, schema: true }
    this.#converted.set(schema, entry)
    entry.schema = toJsonSchema(schema, {
      document: this.#document,
      hidden: this.#hidden,
      referTo: (pointer) => this.#nameOf(this.#target(pointer)),
    })
    this.#ajv.addSchema(entry.schema, entry.name)
    return entry.name
  }

  /** A reference that leads nowhere allows anything. */
  #target(pointer) {
    const target = valueAt(this.#document, pointer) ?? true
    return resolved(this.#document, target) === undefined ? true : target
  }
}

function createAjv() {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    inlineRefs: false,
    unicodeRegExp: true,
    logger: false,
    code: { optimize: false, regExp: toRegExp },
  })
  ajvFormats.default(ajv)
  return ajv
}
