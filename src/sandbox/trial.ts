import type { Operation } from '../contract/contract.ts'
import type { Service } from '../engine/service.ts'
import { assembleWorldState, type WorldState } from '../engine/world-state.ts'
import { NO_EVENTS } from '../events/world-events.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { Id } from '../records/record-table.ts'
import { headersOf, type OutgoingRequest } from '../requests/outgoing-request.ts'
import { type Binding, resourcesAt } from '../resources/bind.ts'
import type { PathValues } from '../resources/collection-name.ts'
import { idOf } from '../resources/id-generator.ts'
import type { Resource } from '../resources/resource.ts'
import { answeringIn, createWorldRouter, type Mount, type WorldRouter } from './router.ts'
import { SandboxWorld } from './sandbox-world.ts'
import type { World } from './world.ts'

/** A throw-away copy of a world, without handlers. Its requests are in no journal, and no quota counts them. */
export interface Trial {
  /** Answers a request at once: without the latency and the forced outcomes of the sandbox. */
  readonly answer: (request: OutgoingRequest) => Promise<CoreResponse>
  readonly binding: (operation: Operation) => Binding
  /** The resources whose paths are wanted. To find all of them takes seconds for a large document. */
  readonly resourcesAt: (isWanted: (path: string) => boolean) => readonly Resource[]
  /** The id of the first record of a collection, below the records of these ids; `undefined` when there is none. */
  readonly firstId: (resource: Resource, parents: PathValues) => Promise<Id | undefined>
}

/** Creates a copy of a world to try requests on. */
export function createTrial(world: World): Trial {
  const state = trialState(SandboxWorld.handleOf(world)().state)
  const { service } = state
  const router = createWorldRouter(
    () => service,
    answeringIn(() => state),
  )
  return {
    answer: (request) => answerAt(router, request),
    binding: service.binding,
    resourcesAt: (isWanted) => resourcesAt(world.contract, isWanted),
    firstId: async (resource, parents) => {
      const store = await state.openStore()
      const records = await store.open(resource, parents)
      const [first] = (await records.page({ limit: 1 })).records
      return first && idOf(first, resource.id)
    },
  }
}

/** Node needs a tenth of a second for its first web request, which whoever starts the sandbox would wait for. */
function answerAt(router: WorldRouter, request: OutgoingRequest): Promise<CoreResponse> {
  const { origin, pathname, search } = new URL(request.url)
  const headers = headersOf(request)
  const header: CoreRequest['header'] = (name) =>
    headers.findLast(([one]) => one.toLowerCase() === name)?.[1]
  const mount = router.resolveMount(pathname, header)
  if (!mount) return router.notFoundOutsideApi(origin, pathname)
  const { basePath, path, serverPath }: Mount = mount

  return mount.answer({
    ...{ method: request.method, base: origin + basePath, path, serverPath },
    ...{ query: search.slice(1), header, headers: () => headers.flat() },
    body: async () => new TextEncoder().encode(request.body?.text ?? ''),
  })
}

function trialState({ service, openStore, keys, clock }: WorldState): WorldState {
  // Handlers may have effects outside of the sandbox, which nobody has asked for.
  const { handlers: _, ...own } = service.settings
  const settings = { ...own, latency: { from: 0, to: 0 }, quota: false }
  // A spread would compute the resources of the whole document.
  const undelayed: Service = Object.create(service, {
    settings: { value: settings },
    createEvents: { value: () => NO_EVENTS },
  })
  const forked = openStore().then((present) => present.fork())
  const state = assembleWorldState(undelayed, new Set(), forked, keys.snapshot())
  // An operation may have been removed by then.
  state.clock.moveTo(clock.now())

  return state
}
