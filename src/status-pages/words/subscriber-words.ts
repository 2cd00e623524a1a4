import type { StatusPageLanguage } from '../status-page.settings.ts';

/** What subscribers of a status page read, on its pages and in its mails. Titles and names are given as they stand in the settings. */
export interface SubscriberWords {
  title(page: string): string;
  readonly about: string;
  readonly byMail: string;
  readonly byWebhook: string;
  readonly byFeed: string;
  readonly email: string;
  readonly webhook: string;
  readonly webhookAbout: string;
  readonly items: string;
  readonly subscribe: string;
  readonly checkMail: string;
  readonly checkWebhook: string;
  readonly secretAbout: string;
  readonly wrongEmail: string;
  readonly wrongWebhook: string;
  readonly wrongForm: string;
  readonly tooMany: string;
  readonly full: string;
  readonly confirmTitle: string;
  confirmAbout(page: string): string;
  readonly confirm: string;
  confirmed(page: string): string;
  readonly linkInvalid: string;
  readonly leaveTitle: string;
  readonly leaveAbout: string;
  readonly leave: string;
  readonly left: string;
  mailConfirmSubject(page: string): string;
  mailConfirm(page: string, until: string): string;
  readonly mailIgnore: string;
  mailFoot(page: string): string;
  readonly mailLeave: string;
  plannedSubject(names: string): string;
  planned(from: string, to: string, names: string): string;
  readonly repeats: Readonly<Record<'daily' | 'weekly' | 'monthly', string>>;
  cancelledSubject(names: string): string;
  cancelled(from: string, to: string, names: string): string;
}

const en: SubscriberWords = {
  title: (page) => `Subscribe to ${page}`,
  about: 'You get a message when an incident is published, updated or resolved, and when work is planned or cancelled.',
  byMail: 'By e-mail',
  byWebhook: 'By webhook',
  byFeed: 'By feed',
  email: 'E-mail address',
  webhook: 'Address of the webhook',
  webhookAbout: 'Messages are signed (Standard Webhooks). The first one has a link that confirms the address.',
  items: 'About',
  subscribe: 'Subscribe',
  checkMail: 'A mail with a link is on its way. Open the link within 24 hours: nothing else is sent before.',
  checkWebhook: 'A message with a link was sent to this address. Open the link within 24 hours: nothing else is sent before.',
  secretAbout: 'The key of the signatures, shown only once:',
  wrongEmail: 'This is no e-mail address.',
  wrongWebhook: 'This address cannot be used: it must be a public http or https address.',
  wrongForm: 'The form could not be read. Open the page again and try once more.',
  tooMany: 'Too many have subscribed from here, or to this page, within the last hour. Try again later.',
  full: 'This page has as many subscribers as it may have.',
  confirmTitle: 'Confirm the subscription',
  confirmAbout: (page) => `Messages of ${page} are sent from now on.`,
  confirm: 'Confirm',
  confirmed: (page) => `You are subscribed to ${page}.`,
  linkInvalid: 'This link is not valid any more. Subscribe again.',
  leaveTitle: 'Unsubscribe',
  leaveAbout: 'No more messages are sent, and the address is deleted.',
  leave: 'Unsubscribe',
  left: 'You are unsubscribed. The address was deleted.',
  mailConfirmSubject: (page) => `Confirm your subscription to ${page}`,
  mailConfirm: (page, until) => `Messages about ${page} were asked for with this address. Confirm it until ${until} UTC:`,
  mailIgnore: 'If this was not you, ignore this mail: you get nothing else.',
  mailFoot: (page) => `You get this because you subscribed to ${page}.`,
  mailLeave: 'Unsubscribe',
  plannedSubject: (names) => `Planned work: ${names}`,
  planned: (from, to, names) => `Work on ${names} is planned from ${from} to ${to} UTC.`,
  repeats: { daily: 'It repeats daily.', weekly: 'It repeats weekly.', monthly: 'It repeats monthly.' },
  cancelledSubject: (names) => `Planned work cancelled: ${names}`,
  cancelled: (from, to, names) => `The work on ${names} from ${from} to ${to} UTC is cancelled.`,
};

const de: SubscriberWords = {
  title: (page) => `${page} abonnieren`,
  about:
    'Sie erhalten eine Nachricht, wenn eine Störung gemeldet, ergänzt oder behoben wird und wenn Arbeiten geplant oder abgesagt werden.',
  byMail: 'Per E-Mail',
  byWebhook: 'Per Webhook',
  byFeed: 'Als Feed',
  email: 'E-Mail-Adresse',
  webhook: 'Adresse des Webhooks',
  webhookAbout: 'Nachrichten sind signiert (Standard Webhooks). Die erste enthält einen Link, der die Adresse bestätigt.',
  items: 'Worüber',
  subscribe: 'Abonnieren',
  checkMail: 'Eine Mail mit einem Link ist unterwegs. Öffnen Sie ihn innerhalb von 24 Stunden: vorher wird nichts anderes gesendet.',
  checkWebhook: 'Eine Nachricht mit einem Link wurde an diese Adresse gesendet. Öffnen Sie ihn innerhalb von 24 Stunden.',
  secretAbout: 'Der Schlüssel der Signaturen, nur jetzt sichtbar:',
  wrongEmail: 'Das ist keine E-Mail-Adresse.',
  wrongWebhook: 'Diese Adresse ist nicht möglich: es muss eine öffentliche http- oder https-Adresse sein.',
  wrongForm: 'Das Formular war nicht lesbar. Öffnen Sie die Seite neu und versuchen Sie es noch einmal.',
  tooMany: 'In der letzten Stunde gab es von hier oder auf dieser Seite zu viele Anmeldungen. Versuchen Sie es später.',
  full: 'Diese Seite hat so viele Abonnenten, wie sie haben kann.',
  confirmTitle: 'Abonnement bestätigen',
  confirmAbout: (page) => `Von nun an werden Nachrichten von ${page} gesendet.`,
  confirm: 'Bestätigen',
  confirmed: (page) => `Sie haben ${page} abonniert.`,
  linkInvalid: 'Dieser Link gilt nicht mehr. Abonnieren Sie erneut.',
  leaveTitle: 'Abbestellen',
  leaveAbout: 'Es werden keine Nachrichten mehr gesendet, und die Adresse wird gelöscht.',
  leave: 'Abbestellen',
  left: 'Das Abonnement ist beendet. Die Adresse wurde gelöscht.',
  mailConfirmSubject: (page) => `Bestätigen Sie Ihr Abonnement von ${page}`,
  mailConfirm: (page, until) => `Mit dieser Adresse wurden Nachrichten über ${page} bestellt. Bestätigen Sie sie bis zum ${until} UTC:`,
  mailIgnore: 'Wenn Sie das nicht waren, ignorieren Sie diese Mail: Sie erhalten nichts weiter.',
  mailFoot: (page) => `Sie erhalten diese Mail, weil Sie ${page} abonniert haben.`,
  mailLeave: 'Abbestellen',
  plannedSubject: (names) => `Geplante Arbeiten: ${names}`,
  planned: (from, to, names) => `Arbeiten an ${names} sind geplant vom ${from} bis zum ${to} UTC.`,
  repeats: {
    daily: 'Sie wiederholen sich täglich.',
    weekly: 'Sie wiederholen sich wöchentlich.',
    monthly: 'Sie wiederholen sich monatlich.',
  },
  cancelledSubject: (names) => `Geplante Arbeiten abgesagt: ${names}`,
  cancelled: (from, to, names) => `Die Arbeiten an ${names} vom ${from} bis zum ${to} UTC sind abgesagt.`,
};

const cs: SubscriberWords = {
  title: (page) => `Odebírat: ${page}`,
  about: 'Zprávu dostanete, když je výpadek ohlášen, doplněn nebo vyřešen a když je údržba naplánována nebo zrušena.',
  byMail: 'E-mailem',
  byWebhook: 'Webhookem',
  byFeed: 'Kanálem',
  email: 'E-mailová adresa',
  webhook: 'Adresa webhooku',
  webhookAbout: 'Zprávy jsou podepsané (Standard Webhooks). První obsahuje odkaz, který adresu potvrdí.',
  items: 'O čem',
  subscribe: 'Odebírat',
  checkMail: 'E-mail s odkazem je na cestě. Otevřete jej do 24 hodin: dříve se nic jiného neposílá.',
  checkWebhook: 'Na tuto adresu byla poslána zpráva s odkazem. Otevřete jej do 24 hodin.',
  secretAbout: 'Klíč podpisů, zobrazený jen jednou:',
  wrongEmail: 'Toto není e-mailová adresa.',
  wrongWebhook: 'Tuto adresu nelze použít: musí to být veřejná adresa http nebo https.',
  wrongForm: 'Formulář nebylo možné přečíst. Otevřete stránku znovu a zkuste to ještě jednou.',
  tooMany: 'Za poslední hodinu bylo odsud nebo na této stránce příliš mnoho přihlášení. Zkuste to později.',
  full: 'Tato stránka má tolik odběratelů, kolik mít může.',
  confirmTitle: 'Potvrdit odběr',
  confirmAbout: (page) => `Od této chvíle se budou posílat zprávy: ${page}.`,
  confirm: 'Potvrdit',
  confirmed: (page) => `Odběr je potvrzen: ${page}.`,
  linkInvalid: 'Tento odkaz už neplatí. Přihlaste se k odběru znovu.',
  leaveTitle: 'Zrušit odběr',
  leaveAbout: 'Žádné další zprávy se nepošlou a adresa bude smazána.',
  leave: 'Zrušit odběr',
  left: 'Odběr je zrušen. Adresa byla smazána.',
  mailConfirmSubject: (page) => `Potvrďte odběr: ${page}`,
  mailConfirm: (page, until) => `S touto adresou byl objednán odběr zpráv: ${page}. Potvrďte ji do ${until} UTC:`,
  mailIgnore: 'Pokud jste to nebyli vy, e-mail ignorujte: nic dalšího nedostanete.',
  mailFoot: (page) => `Tento e-mail dostáváte, protože odebíráte: ${page}.`,
  mailLeave: 'Zrušit odběr',
  plannedSubject: (names) => `Plánovaná údržba: ${names}`,
  planned: (from, to, names) => `Údržba je naplánována od ${from} do ${to} UTC: ${names}.`,
  repeats: { daily: 'Opakuje se denně.', weekly: 'Opakuje se týdně.', monthly: 'Opakuje se měsíčně.' },
  cancelledSubject: (names) => `Plánovaná údržba zrušena: ${names}`,
  cancelled: (from, to, names) => `Údržba od ${from} do ${to} UTC je zrušena: ${names}.`,
};

const table: Readonly<Record<StatusPageLanguage, SubscriberWords>> = { en, de, cs };

export const subscriberWordsOf = (language: StatusPageLanguage): SubscriberWords => table[language];
