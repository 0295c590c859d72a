import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, extname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Contract } from '../contract/contract.ts'
import type { Pointer } from '../document/json-pointer.ts'
import { asUsageError, type Mistake, Mistakes, refuse } from '../document/mistake.ts'
import { parseSource, type Source, WITHOUT_REFS } from '../document/source.ts'
import {
  checkScenario,
  InvalidScenarioError,
  type Scenario,
  type ScenarioNames,
  scenarioNames,
} from '../forcing/scenario.ts'
import { checkFirstRecords } from '../resources/check-first-records.ts'
import { resolveOptions, type SandboxOptions } from '../sandbox/options.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { ValueMistake } from '../validation/value-check.ts'

/** The sandbox that scenarios are for: its operations, collections, plans and keys are what they may name. */
export type ScenarioOptions = Pick<SandboxOptions, 'contract' | 'plans' | 'keys'>

/**
 * Reads the scenarios of a folder, each a YAML or JSON file of its name; folders within it are left
 * alone. Throws a `UsageError` that says where each mistake stands (file:line:column) and what to do
 * about it.
 *
 * @example
 * const scenarios = await loadScenarios('scenarios', { plans: { gold: { minute: 100, day: 5000 } } })
 */
export async function loadScenarios(
  folder: string,
  options: ScenarioOptions = {},
): Promise<Readonly<Record<string, Scenario>>> {
  const { contract, keys } = resolveOptions(options)
  const names = scenarioNames(contract, keys)
  const scenarios: [name: string, scenario: Scenario][] = []
  const mistakes: Mistake[] = []

  for (const file of await listFiles(folder)) {
    try {
      scenarios.push([file.name, await loadScenario(file, folder, names, contract)])
    } catch (error) {
      if (!(error instanceof Mistakes)) throw error
      mistakes.push(...error.list)
    }
  }
  if (mistakes.length > 0) throw asUsageError(folder, new Mistakes(mistakes), 'invalid_scenario')

  return Object.fromEntries(scenarios)
}

interface File {
  /** Of the scenario in it. */
  readonly name: string
  /** As the developer would type it. */
  readonly path: string
}

/** The files that hold scenarios. */
async function listFiles(folder: string): Promise<File[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause) => {
    throw unreadable(folder, UNREADABLE[cause.code] ?? `the system says ${cause.code}`, cause)
  })
  const files = entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .filter(({ name }) => /^[^.].*\.(ya?ml|json)$/i.test(name))
    .map(({ name }) => ({ name: basename(name, extname(name)), path: join(folder, name) }))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
  if (files.length === 0) {
    throw unreadable(folder, 'it has no scenarios. Put one into it, as slow.yaml')
  }
  for (const [index, { name, path }] of files.entries()) {
    const twin = files.slice(0, index).find((other) => other.name === name)
    if (!twin) continue
    throw unreadable(folder, `${twin.path} and ${path} are both "${name}". Rename one of them`)
  }

  return files
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder. Check the name',
  ENOTDIR: 'it is no folder. Name the one that the scenarios are in',
  EACCES: 'this user may not. Check its permissions',
}

function unreadable(folder: string, why: string, cause?: unknown): UsageError {
  const code = 'unreadable_scenarios'
  return new UsageError(code, `Cannot load the scenarios of ${folder}: ${why}.`, { cause })
}

async function loadScenario(
  file: File,
  folder: string,
  names: ScenarioNames,
  contract: Contract,
): Promise<Scenario> {
  const source = await readSource(file, folder)
  refuse(inexactNumbers(source))
  try {
    checkScenario(file.name, source.value, names)
    refuseScenario(file.name, checkFirstRecords(source.value, contract))
    return source.value
  } catch (error) {
    if (!(error instanceof InvalidScenarioError)) throw error
    const mistakes = error.mistakes.map(({ path, part, why, advice }) => ({
      why,
      place: source.locate(path.map(String), part),
      advice,
    }))
    throw new Mistakes(mistakes, { cause: error })
  }
}

function refuseScenario(name: string, mistakes: readonly ValueMistake[]): void {
  if (mistakes.length > 0) throw new InvalidScenarioError(name, mistakes)
}

async function readSource({ path }: File, folder: string): Promise<Source> {
  const refusal = (why: string, advice: string): Mistakes =>
    new Mistakes([{ why, place: path, advice }])
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined) throw refusal('the link leads to nothing', 'Remove it, or point it anew.')
  if (!real.startsWith(join(await realpath(folder), sep))) {
    throw refusal('the link leads out of the folder', 'Copy the file into the folder.')
  }
  // A link may lead to a folder, or to what never ends.
  if (!(await stat(real)).isFile()) throw refusal('it is no file', 'Remove it, or rename it.')
  const text = await readFile(real, 'utf8').catch(({ code }) => {
    throw refusal(`the system says ${code}`, 'Check that you may read it.')
  })
  const source = parseSource(path, pathToFileURL(real), text, WITHOUT_REFS)
  if (source.value !== null) return source
  throw refusal('it is empty', 'Write at least what it is for, as "description: A full store."')
}

/** Whole numbers of which JavaScript has lost digits while they were read. */
function inexactNumbers({ value: root, locate: place }: Source): Mistake[] {
  const mistakes: Mistake[] = []

  function look(value: unknown, path: Pointer): void {
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      const why = 'the number is too large to be held exactly'
      mistakes.push({ why, place: place(path), advice: 'Write one up to 9007199254740991.' })
    }
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) look(inner, [...path, key])
  }
  look(root, [])

  return mistakes
}
