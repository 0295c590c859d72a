export {
  type ExpressHandler,
  type ExpressOptions,
  type ExpressRequest,
  type ExpressResponse,
  toExpress,
} from './transports/express.ts'
