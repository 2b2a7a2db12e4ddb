BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0018');
CREATE TABLE analyses (
	game VARCHAR(6) NOT NULL, 
	found JSON NOT NULL, 
	made_at DATETIME NOT NULL, 
	CONSTRAINT pk_analyses PRIMARY KEY (game), 
	CONSTRAINT fk_analyses_game_games FOREIGN KEY(game) REFERENCES games (id)
);
CREATE TABLE bars (
	id INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	browser TEXT NOT NULL, 
	person INTEGER, 
	until DATETIME, 
	made_at DATETIME NOT NULL, 
	CONSTRAINT pk_bars PRIMARY KEY (id), 
	CONSTRAINT fk_bars_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT fk_bars_place_places FOREIGN KEY(place) REFERENCES places (id)
);
CREATE TABLE competition_events (
	competition VARCHAR(6) NOT NULL, 
	number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	data JSON NOT NULL, 
	person INTEGER, 
	at DATETIME NOT NULL, 
	cause TEXT, 
	CONSTRAINT pk_competition_events PRIMARY KEY (competition, number), 
	CONSTRAINT fk_competition_events_competition_competitions FOREIGN KEY(competition) REFERENCES competitions (id), 
	CONSTRAINT fk_competition_events_person_people FOREIGN KEY(person) REFERENCES people (id)
);
INSERT INTO "competition_events" VALUES('NT7J4W',1,'created','{"terms":{"game":"annuvin","format":"all","clock":86400,"options":{"board":"hexagon","setup":"classic"},"most":4},"code":"NT7J4W","seed_hash":"887bf140ce0b6a497ed8db5c7498a45454f0b2bd644b0313f7a82acc084d0027"}',1,'2026-11-21 12:00:00.000000','web:event-5');
CREATE TABLE competition_games (
	game VARCHAR(6) NOT NULL, 
	competition VARCHAR(6) NOT NULL, 
	slot TEXT NOT NULL, 
	CONSTRAINT pk_competition_games PRIMARY KEY (game), 
	CONSTRAINT fk_competition_games_competition_competitions FOREIGN KEY(competition) REFERENCES competitions (id), 
	CONSTRAINT fk_competition_games_game_games FOREIGN KEY(game) REFERENCES games (id), 
	CONSTRAINT uq_competition_games_competition_slot UNIQUE (competition, slot)
);
CREATE TABLE competition_places (
	competition VARCHAR(6) NOT NULL, 
	place INTEGER NOT NULL, 
	message TEXT, 
	shown_revision INTEGER, 
	told INTEGER NOT NULL, 
	due_at DATETIME, 
	attempts INTEGER NOT NULL, 
	gone BOOLEAN NOT NULL, 
	CONSTRAINT pk_competition_places PRIMARY KEY (competition, place), 
	CONSTRAINT fk_competition_places_competition_competitions FOREIGN KEY(competition) REFERENCES competitions (id), 
	CONSTRAINT fk_competition_places_place_places FOREIGN KEY(place) REFERENCES places (id)
);
INSERT INTO "competition_places" VALUES('NT7J4W',2,'m5',1,0,NULL,0,0);
CREATE TABLE competitions (
	id VARCHAR(6) NOT NULL, 
	status TEXT NOT NULL, 
	game_key TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	maker INTEGER NOT NULL, 
	seed TEXT NOT NULL, 
	seed_hash TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	due_at DATETIME, 
	created_at DATETIME NOT NULL, 
	ended_at DATETIME, 
	CONSTRAINT pk_competitions PRIMARY KEY (id), 
	CONSTRAINT ck_competitions_status CHECK (status IN ('open', 'running', 'over')), 
	CONSTRAINT fk_competitions_maker_people FOREIGN KEY(maker) REFERENCES people (id), 
	CONSTRAINT fk_competitions_place_places FOREIGN KEY(place) REFERENCES places (id)
);
INSERT INTO "competitions" VALUES('NT7J4W','open','annuvin',2,1,'0000000000000000000000000000000000000000000000000000000000000009','887bf140ce0b6a497ed8db5c7498a45454f0b2bd644b0313f7a82acc084d0027',1,'2026-12-21 12:00:00.000000','2026-11-21 12:00:00.000000',NULL);
CREATE TABLE dailies (
	place INTEGER NOT NULL, 
	hour INTEGER NOT NULL, 
	due_at DATETIME NOT NULL, 
	CONSTRAINT pk_dailies PRIMARY KEY (place), 
	CONSTRAINT fk_dailies_place_places FOREIGN KEY(place) REFERENCES places (id)
);
INSERT INTO "dailies" VALUES(3,9,'2026-11-22 09:00:00.000000');
CREATE TABLE daily_messages (
	id INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	date VARCHAR(10) NOT NULL, 
	puzzle TEXT NOT NULL, 
	message TEXT, 
	shown TEXT, 
	posted_at DATETIME, 
	shown_at DATETIME, 
	due_at DATETIME, 
	attempts INTEGER NOT NULL, 
	waiting BOOLEAN DEFAULT 0 NOT NULL, 
	closed BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_daily_messages PRIMARY KEY (id), 
	CONSTRAINT fk_daily_messages_place_places FOREIGN KEY(place) REFERENCES places (id), 
	CONSTRAINT uq_daily_messages_place_date UNIQUE (place, date)
);
INSERT INTO "daily_messages" VALUES(1,3,'2026-11-21','fagocitare-73954a0bf5','m6','49808b525f7db278','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',NULL,0,0,0);
CREATE TABLE entrants (
	competition VARCHAR(6) NOT NULL, 
	number INTEGER NOT NULL, 
	person INTEGER, 
	place INTEGER, 
	joined_by TEXT NOT NULL, 
	inside BOOLEAN NOT NULL, 
	rank INTEGER, 
	CONSTRAINT pk_entrants PRIMARY KEY (competition, number), 
	CONSTRAINT fk_entrants_competition_competitions FOREIGN KEY(competition) REFERENCES competitions (id), 
	CONSTRAINT fk_entrants_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT fk_entrants_place_places FOREIGN KEY(place) REFERENCES places (id), 
	CONSTRAINT uq_entrants_competition_person UNIQUE (competition, person)
);
CREATE TABLE events (
	game VARCHAR(6) NOT NULL, 
	number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	data JSON NOT NULL, 
	person INTEGER, 
	at DATETIME NOT NULL, 
	cause TEXT, 
	CONSTRAINT pk_events PRIMARY KEY (game, number), 
	CONSTRAINT fk_events_game_games FOREIGN KEY(game) REFERENCES games (id), 
	CONSTRAINT fk_events_person_people FOREIGN KEY(person) REFERENCES people (id)
);
INSERT INTO "events" VALUES('QM9NF7',1,'opened','{"seats":2,"options":{"board":"hexagon","setup":"classic"}}',1,'2026-11-21 12:00:00.000000','web:event-1');
INSERT INTO "events" VALUES('QM9NF7',2,'joined','{"by":"web:event-2"}',2,'2026-11-21 12:00:00.000000','web:event-2');
INSERT INTO "events" VALUES('QM9NF7',3,'started','{"seats":[1,0]}',NULL,'2026-11-21 12:00:00.000000','web:event-2');
INSERT INTO "events" VALUES('QM9NF7',4,'offer','{"what":"draw"}',2,'2026-11-21 12:00:00.000000','web:event-3');
INSERT INTO "events" VALUES('FRV9TJ',1,'opened','{"seats":2,"options":{"size":10}}',3,'2026-11-21 12:00:00.000000','web:event-4');
INSERT INTO "events" VALUES('PFHQNP',1,'opened','{"seats":2,"options":{"board":"hexagon","setup":"classic"}}',6,'2026-11-21 12:00:00.000000','web:event-8');
CREATE TABLE game_places (
	place INTEGER NOT NULL, 
	game VARCHAR(6) NOT NULL, 
	live BOOLEAN NOT NULL, 
	CONSTRAINT pk_game_places PRIMARY KEY (place, game), 
	CONSTRAINT fk_game_places_game_games FOREIGN KEY(game) REFERENCES games (id), 
	CONSTRAINT fk_game_places_place_places FOREIGN KEY(place) REFERENCES places (id)
);
INSERT INTO "game_places" VALUES(1,'QM9NF7',1);
INSERT INTO "game_places" VALUES(2,'FRV9TJ',1);
INSERT INTO "game_places" VALUES(3,'PFHQNP',1);
CREATE TABLE "games" (
	id VARCHAR(6) NOT NULL, 
	game TEXT NOT NULL, 
	status TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	starter INTEGER NOT NULL, 
	options JSON NOT NULL, 
	rules_version INTEGER NOT NULL, 
	seat_count INTEGER NOT NULL, 
	seed TEXT NOT NULL, 
	seed_hash TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	turn INTEGER NOT NULL, 
	position JSON, 
	last_turn JSON, 
	to_move INTEGER, 
	waiting_since DATETIME NOT NULL, 
	deadline DATETIME, 
	outcome JSON, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	started_at DATETIME, 
	ended_at DATETIME, 
	alarm_at DATETIME, 
	terms JSON DEFAULT '{}' NOT NULL, 
	offers JSON DEFAULT '{}' NOT NULL, 
	thinking BOOLEAN DEFAULT 0 NOT NULL, chance JSON, 
	CONSTRAINT pk_games PRIMARY KEY (id), 
	CONSTRAINT fk_games_to_move_people FOREIGN KEY(to_move) REFERENCES people (id), 
	CONSTRAINT fk_games_starter_people FOREIGN KEY(starter) REFERENCES people (id), 
	CONSTRAINT fk_games_place_places FOREIGN KEY(place) REFERENCES places (id), 
	CONSTRAINT ck_games_status CHECK (status IN ('lobby', 'playing', 'over'))
);
INSERT INTO "games" VALUES('QM9NF7','annuvin','playing',1,1,'{"board":"hexagon","setup":"classic"}',1,2,'0000000000000000000000000000000000000000000000000000000000000007','48428bdb7ddd829410d6bbb924fdeb3a3d7e88c2577bffae073b990c6f061d08',4,0,'{"game":"annuvin","options":{"board":"hexagon","setup":"classic"},"to_move":0,"pieces":[["b1","c1","d1","d2","e2","f3"],["b5","c6","d6","d7","e7","f7"]],"reserve":[0,0],"lost":[0,0],"moving":null,"dropped":[],"outcome":null,"extra":{}}','{"finished":null,"begun":null,"draws":0,"turns":[],"moved":3}',2,'2026-11-21 12:00:00.000000',NULL,NULL,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',NULL,NULL,'{"newcomers":[0,1]}','{"draw":{"by":0,"agreed":[0],"at":4}}',0,'{"drawn":0}');
INSERT INTO "games" VALUES('FRV9TJ','fagocitare','lobby',2,3,'{"size":10}',1,2,'0000000000000000000000000000000000000000000000000000000000000008','38df1c1f64a24a77b23393bca50dff872e31edc4f3b5aa3b90ad0b82f4f089b6',1,0,NULL,NULL,NULL,'2026-11-21 12:00:00.000000',NULL,NULL,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',NULL,NULL,'2026-11-24 12:00:00.000000','{}','{}',0,'{"drawn":-1}');
INSERT INTO "games" VALUES('PFHQNP','annuvin','lobby',3,6,'{"board":"hexagon","setup":"classic"}',1,2,'000000000000000000000000000000000000000000000000000000000000000a','81b04ae4944e1704a65bc3a57b6fc3b06a6b923e3c558d611f6a854b5539ec13',1,0,NULL,NULL,NULL,'2026-11-21 12:00:00.000000',NULL,NULL,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',NULL,NULL,'2026-11-24 12:00:00.000000','{}','{}',0,'{"drawn":-1}');
CREATE TABLE handled_events (
	platform TEXT NOT NULL, 
	event TEXT NOT NULL, 
	reply JSON, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_handled_events PRIMARY KEY (platform, event)
);
INSERT INTO "handled_events" VALUES('web','event-1','{"card":{"text":[["New to ",false,false,null,false,null,null,null],["Annuvin",true,false,null,false,null,null,null],["? Learn it in three minutes, on a board of your own: ",false,false,null,false,null,null,null],["/learn annuvin",false,true,null,false,null,null,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=annuvin","plain",false]]}],"presses":{}},"private":true,"update":true,"apart":false,"secret":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-2','{"card":{"text":[["New to ",false,false,null,false,null,null,null],["Annuvin",true,false,null,false,null,null,null],["? Learn it in three minutes, on a board of your own: ",false,false,null,false,null,null,null],["/learn annuvin",false,true,null,false,null,null,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=annuvin","plain",false]]}],"presses":{}},"private":true,"update":true,"apart":false,"secret":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-3','{"card":{"text":[["You have offered a draw. It stands until it is answered or another player has moved.",false,false,null,false,null,null,null]],"rows":[],"presses":{}},"private":true,"update":true,"apart":false,"secret":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-4','{"card":{"text":[["New to ",false,false,null,false,null,null,null],["Fagocitare",true,false,null,false,null,null,null],["? Learn it in three minutes, on a board of your own: ",false,false,null,false,null,null,null],["/learn fagocitare",false,true,null,false,null,null,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=fagocitare","plain",false]]}],"presses":{}},"private":true,"update":true,"apart":false,"secret":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-5','{"card":{"text":[["The competition is made. It is shown here in a moment, with a button to join.",false,false,null,false,null,null,null]],"rows":[],"presses":{}},"private":true,"update":false,"apart":false,"secret":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-8','{"card":{"text":[["New to ",false,false,null,false,null,null,null],["Annuvin",true,false,null,false,null,null,null],["? Learn it in three minutes, on a board of your own: ",false,false,null,false,null,null,null],["/learn annuvin",false,true,null,false,null,null,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=annuvin","plain",false]]}],"presses":{}},"private":true,"update":true,"apart":false,"secret":false}','2026-11-21 12:00:00.000000');
CREATE TABLE identities (
	platform TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	person INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	name_key TEXT NOT NULL, 
	language TEXT, was INTEGER, writable BOOLEAN, 
	CONSTRAINT pk_identities PRIMARY KEY (platform, user_id), 
	CONSTRAINT fk_identities_person_people FOREIGN KEY(person) REFERENCES people (id)
);
INSERT INTO "identities" VALUES('web','anna',1,'Anna','anna','en',NULL,NULL);
INSERT INTO "identities" VALUES('web','bruno',2,'Bruno','bruno','en',NULL,NULL);
INSERT INTO "identities" VALUES('web','carla',3,'Carla','carla','en',NULL,NULL);
INSERT INTO "identities" VALUES('web','meg',4,'Meg','meg','en',NULL,NULL);
INSERT INTO "identities" VALUES('web','dario',5,'Dario','dario','en',NULL,NULL);
INSERT INTO "identities" VALUES('web','elena',6,'Elena','elena','en',NULL,NULL);
CREATE TABLE lessons (
	id INTEGER NOT NULL, 
	person INTEGER NOT NULL, 
	game_key TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	step TEXT NOT NULL, 
	state JSON NOT NULL, 
	place INTEGER, 
	touched_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	CONSTRAINT pk_lessons PRIMARY KEY (id), 
	CONSTRAINT fk_lessons_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT fk_lessons_place_places FOREIGN KEY(place) REFERENCES places (id), 
	CONSTRAINT uq_lessons_person_game_key UNIQUE (person, game_key)
);
INSERT INTO "lessons" VALUES(1,1,'annuvin',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(2,2,'annuvin',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(3,3,'fagocitare',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(4,6,'annuvin',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
CREATE TABLE link_codes (
	code TEXT NOT NULL, 
	person INTEGER NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_link_codes PRIMARY KEY (code), 
	CONSTRAINT fk_link_codes_person_people FOREIGN KEY(person) REFERENCES people (id)
);
CREATE TABLE members (
	place INTEGER NOT NULL, 
	person INTEGER NOT NULL, 
	seen_at DATETIME NOT NULL, 
	CONSTRAINT pk_members PRIMARY KEY (place, person), 
	CONSTRAINT fk_members_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT fk_members_place_places FOREIGN KEY(place) REFERENCES places (id)
);
INSERT INTO "members" VALUES(1,1,'2026-11-21 12:00:00.000000');
INSERT INTO "members" VALUES(1,2,'2026-11-21 12:00:00.000000');
INSERT INTO "members" VALUES(2,3,'2026-11-21 12:00:00.000000');
INSERT INTO "members" VALUES(2,1,'2026-11-21 12:00:00.000000');
INSERT INTO "members" VALUES(3,4,'2026-11-21 12:00:00.000000');
INSERT INTO "members" VALUES(1,5,'2026-11-21 12:00:00.000000');
INSERT INTO "members" VALUES(3,6,'2026-11-21 12:00:00.000000');
CREATE TABLE notes (
	platform TEXT NOT NULL, 
	name TEXT NOT NULL, 
	value JSON NOT NULL, 
	CONSTRAINT pk_notes PRIMARY KEY (platform, name)
);
CREATE TABLE notice_choices (
	place INTEGER NOT NULL, 
	person INTEGER NOT NULL, 
	way TEXT NOT NULL, 
	CONSTRAINT pk_notice_choices PRIMARY KEY (place, person), 
	CONSTRAINT fk_notice_choices_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT fk_notice_choices_place_places FOREIGN KEY(place) REFERENCES places (id)
);
CREATE TABLE notices (
	id INTEGER NOT NULL, 
	person INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	game VARCHAR(6), 
	way TEXT, 
	place INTEGER, 
	due_at DATETIME, 
	attempts INTEGER NOT NULL, 
	made_at DATETIME NOT NULL, 
	told_at DATETIME, 
	CONSTRAINT pk_notices PRIMARY KEY (id), 
	CONSTRAINT fk_notices_game_games FOREIGN KEY(game) REFERENCES games (id), 
	CONSTRAINT fk_notices_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT fk_notices_place_places FOREIGN KEY(place) REFERENCES places (id), 
	CONSTRAINT uq_notices_person_kind_subject UNIQUE (person, kind, subject)
);
INSERT INTO "notices" VALUES(1,2,'turn','QM9NF7:3','QM9NF7','here',1,NULL,0,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000');
INSERT INTO "notices" VALUES(2,1,'offer','QM9NF7:draw:4','QM9NF7','here',1,NULL,0,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000');
INSERT INTO "notices" VALUES(3,5,'challenge','PFHQNP','PFHQNP','private',NULL,'2026-11-21 12:00:30.000000',1,'2026-11-21 12:00:00.000000',NULL);
CREATE TABLE passes (
	id INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	secret TEXT NOT NULL, 
	message TEXT, 
	sent JSON NOT NULL, 
	until DATETIME, 
	spare INTEGER, 
	answered BOOLEAN DEFAULT 0 NOT NULL, 
	made_at DATETIME NOT NULL, 
	CONSTRAINT pk_passes PRIMARY KEY (id), 
	CONSTRAINT fk_passes_place_places FOREIGN KEY(place) REFERENCES places (id), 
	CONSTRAINT uq_passes_place_secret UNIQUE (place, secret)
);
CREATE TABLE people (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	language TEXT, 
	settings JSON NOT NULL, 
	created_at DATETIME NOT NULL, same_as INTEGER, 
	CONSTRAINT pk_people PRIMARY KEY (id)
);
INSERT INTO "people" VALUES(1,'Anna','en','{}','2026-11-21 12:00:00.000000',NULL);
INSERT INTO "people" VALUES(2,'Bruno','en','{}','2026-11-21 12:00:00.000000',NULL);
INSERT INTO "people" VALUES(3,'Carla','en','{}','2026-11-21 12:00:00.000000',NULL);
INSERT INTO "people" VALUES(4,'Meg','en','{}','2026-11-21 12:00:00.000000',NULL);
INSERT INTO "people" VALUES(5,'Dario','en','{"notices":"private"}','2026-11-21 12:00:00.000000',NULL);
INSERT INTO "people" VALUES(6,'Elena','en','{}','2026-11-21 12:00:00.000000',NULL);
CREATE TABLE places (
	id INTEGER NOT NULL, 
	platform TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	thread TEXT NOT NULL, 
	group_id TEXT, 
	kind TEXT NOT NULL, 
	title TEXT NOT NULL, 
	settings JSON NOT NULL, guest BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_places PRIMARY KEY (id), 
	CONSTRAINT uq_places_platform_channel_thread UNIQUE (platform, channel, thread)
);
INSERT INTO "places" VALUES(1,'web','room','',NULL,'group','The room','{}',0);
INSERT INTO "places" VALUES(2,'web','hall','',NULL,'group','The hall','{}',0);
INSERT INTO "places" VALUES(3,'web','yard','',NULL,'group','The yard','{}',0);
CREATE TABLE pulses (
	name TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_pulses PRIMARY KEY (name)
);
CREATE TABLE puzzle_attempts (
	id INTEGER NOT NULL, 
	person INTEGER NOT NULL, 
	puzzle TEXT NOT NULL, 
	game_key TEXT NOT NULL, 
	motif TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	state JSON NOT NULL, 
	presses INTEGER NOT NULL, 
	wrong INTEGER NOT NULL, 
	hints INTEGER NOT NULL, 
	result TEXT NOT NULL, 
	place INTEGER, 
	rated BOOLEAN, 
	began_at DATETIME NOT NULL, 
	tried_at DATETIME, 
	ended_at DATETIME, 
	touched_at DATETIME NOT NULL, 
	CONSTRAINT pk_puzzle_attempts PRIMARY KEY (id), 
	CONSTRAINT fk_puzzle_attempts_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT fk_puzzle_attempts_place_places FOREIGN KEY(place) REFERENCES places (id), 
	CONSTRAINT uq_puzzle_attempts_person_puzzle UNIQUE (person, puzzle)
);
CREATE TABLE puzzle_days (
	person INTEGER NOT NULL, 
	day VARCHAR(10) NOT NULL, 
	puzzle TEXT NOT NULL, 
	mark TEXT NOT NULL, 
	CONSTRAINT pk_puzzle_days PRIMARY KEY (person, day), 
	CONSTRAINT fk_puzzle_days_person_people FOREIGN KEY(person) REFERENCES people (id)
);
CREATE TABLE puzzle_places (
	place INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	CONSTRAINT pk_puzzle_places PRIMARY KEY (place, attempt), 
	CONSTRAINT fk_puzzle_places_attempt_puzzle_attempts FOREIGN KEY(attempt) REFERENCES puzzle_attempts (id), 
	CONSTRAINT fk_puzzle_places_place_places FOREIGN KEY(place) REFERENCES places (id)
);
CREATE TABLE puzzle_ratings (
	person INTEGER NOT NULL, 
	game_key TEXT NOT NULL, 
	mu FLOAT NOT NULL, 
	sigma FLOAT NOT NULL, 
	tries INTEGER NOT NULL, 
	solved INTEGER NOT NULL, 
	CONSTRAINT pk_puzzle_ratings PRIMARY KEY (person, game_key), 
	CONSTRAINT fk_puzzle_ratings_person_people FOREIGN KEY(person) REFERENCES people (id)
);
CREATE TABLE puzzles (
	id TEXT NOT NULL, 
	mu FLOAT, 
	sigma FLOAT, 
	tries INTEGER NOT NULL, 
	solved INTEGER NOT NULL, 
	public_at DATETIME, 
	CONSTRAINT pk_puzzles PRIMARY KEY (id)
);
CREATE TABLE ratings (
	person INTEGER NOT NULL, 
	game_key TEXT NOT NULL, 
	pool TEXT NOT NULL, 
	mu FLOAT NOT NULL, 
	sigma FLOAT NOT NULL, 
	wins INTEGER NOT NULL, 
	draws INTEGER NOT NULL, 
	losses INTEGER NOT NULL, 
	CONSTRAINT pk_ratings PRIMARY KEY (person, game_key, pool), 
	CONSTRAINT fk_ratings_person_people FOREIGN KEY(person) REFERENCES people (id)
);
CREATE TABLE "results" (
	game VARCHAR(6) NOT NULL, 
	seat INTEGER NOT NULL, 
	game_key TEXT NOT NULL, 
	person INTEGER, 
	place_number INTEGER NOT NULL, 
	mark TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	rated BOOLEAN NOT NULL, 
	ended_at DATETIME NOT NULL, 
	pool TEXT DEFAULT 'people' NOT NULL, 
	mu FLOAT, 
	sigma FLOAT, 
	CONSTRAINT pk_results PRIMARY KEY (game, seat), 
	CONSTRAINT fk_results_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT fk_results_game_games FOREIGN KEY(game) REFERENCES games (id)
);
CREATE TABLE room_drawings (
	digest VARCHAR(64) NOT NULL, 
	size INTEGER NOT NULL, 
	change INTEGER NOT NULL, 
	content BLOB NOT NULL, 
	CONSTRAINT pk_room_drawings PRIMARY KEY (digest)
);
CREATE TABLE room_messages (
	id INTEGER NOT NULL, 
	room TEXT NOT NULL, 
	change INTEGER NOT NULL, 
	"key" TEXT, 
	author INTEGER, 
	recipient INTEGER, 
	text TEXT NOT NULL, 
	card JSON, 
	picture INTEGER, 
	created_at DATETIME NOT NULL, 
	edited_at DATETIME, 
	deleted BOOLEAN NOT NULL, 
	CONSTRAINT pk_room_messages PRIMARY KEY (id), 
	CONSTRAINT fk_room_messages_author_people FOREIGN KEY(author) REFERENCES people (id), 
	CONSTRAINT fk_room_messages_recipient_people FOREIGN KEY(recipient) REFERENCES people (id), 
	CONSTRAINT fk_room_messages_room_rooms FOREIGN KEY(room) REFERENCES rooms (name), 
	CONSTRAINT uq_room_messages_room_change UNIQUE (room, change), 
	CONSTRAINT uq_room_messages_room_key UNIQUE (room, "key")
);
CREATE TABLE room_pictures (
	message INTEGER NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_room_pictures PRIMARY KEY (message), 
	CONSTRAINT fk_room_pictures_digest_room_drawings FOREIGN KEY(digest) REFERENCES room_drawings (digest), 
	CONSTRAINT fk_room_pictures_message_room_messages FOREIGN KEY(message) REFERENCES room_messages (id)
);
CREATE TABLE rooms (
	name TEXT NOT NULL, 
	change INTEGER NOT NULL, 
	CONSTRAINT pk_rooms PRIMARY KEY (name)
);
CREATE TABLE seats (
	game VARCHAR(6) NOT NULL, 
	number INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	seat INTEGER, 
	person INTEGER, 
	computer TEXT, 
	name TEXT NOT NULL, 
	joined_by TEXT, 
	live BOOLEAN NOT NULL, 
	CONSTRAINT pk_seats PRIMARY KEY (game, number), 
	CONSTRAINT fk_seats_game_games FOREIGN KEY(game) REFERENCES games (id), 
	CONSTRAINT fk_seats_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT uq_seats_game_person UNIQUE (game, person), 
	CONSTRAINT uq_seats_game_seat UNIQUE (game, seat)
);
INSERT INTO "seats" VALUES('QM9NF7',0,'joined',1,1,NULL,'','web:event-1',1);
INSERT INTO "seats" VALUES('QM9NF7',1,'joined',0,2,NULL,'','web:event-2',1);
INSERT INTO "seats" VALUES('FRV9TJ',0,'joined',NULL,3,NULL,'','web:event-4',1);
INSERT INTO "seats" VALUES('FRV9TJ',1,'open',NULL,NULL,NULL,'',NULL,1);
INSERT INTO "seats" VALUES('PFHQNP',0,'joined',NULL,6,NULL,'','web:event-8',1);
INSERT INTO "seats" VALUES('PFHQNP',1,'invited',NULL,5,NULL,'',NULL,1);
CREATE TABLE "surfaces" (
	id INTEGER NOT NULL, 
	game VARCHAR(6) NOT NULL, 
	place INTEGER NOT NULL, 
	message TEXT, 
	shown_revision INTEGER, 
	announced_turn INTEGER, 
	retiring JSON NOT NULL, 
	due_at DATETIME, 
	attempts INTEGER NOT NULL, 
	gone BOOLEAN NOT NULL, 
	waiting BOOLEAN DEFAULT 0 NOT NULL, beside JSON DEFAULT '{}' NOT NULL, 
	CONSTRAINT pk_surfaces PRIMARY KEY (id), 
	CONSTRAINT uq_surfaces_game_place UNIQUE (game, place), 
	CONSTRAINT fk_surfaces_place_places FOREIGN KEY(place) REFERENCES places (id), 
	CONSTRAINT fk_surfaces_game_games FOREIGN KEY(game) REFERENCES games (id)
);
INSERT INTO "surfaces" VALUES(1,'QM9NF7',1,'m2',4,2,'[]',NULL,0,0,0,'{"QM9NF7:draw:4":"m3"}');
INSERT INTO "surfaces" VALUES(2,'FRV9TJ',2,'m4',1,0,'[]',NULL,0,0,0,'{}');
INSERT INTO "surfaces" VALUES(3,'PFHQNP',3,'m7',1,0,'[]',NULL,0,0,0,'{}');
CREATE TABLE tries (
	id INTEGER NOT NULL, 
	person INTEGER NOT NULL, 
	game VARCHAR(6) NOT NULL, 
	revision INTEGER NOT NULL, 
	tree JSON NOT NULL, 
	planned BOOLEAN DEFAULT 0 NOT NULL, 
	touched_at DATETIME NOT NULL, 
	CONSTRAINT pk_tries PRIMARY KEY (id), 
	CONSTRAINT fk_tries_game_games FOREIGN KEY(game) REFERENCES games (id), 
	CONSTRAINT fk_tries_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT uq_tries_person_game UNIQUE (person, game)
);
CREATE INDEX ix_handled_events_at ON handled_events (at);
CREATE INDEX ix_identities_name_key ON identities (name_key);
CREATE INDEX ix_identities_person ON identities (person);
CREATE INDEX ix_members_place_seen_at ON members (place, seen_at);
CREATE INDEX ix_room_messages_room_id ON room_messages (room, id);
CREATE INDEX ix_game_places_game ON game_places (game);
CREATE INDEX ix_game_places_live ON game_places (place) WHERE live = 1;
CREATE INDEX ix_seats_live ON seats (person) WHERE live = 1;
CREATE INDEX ix_link_codes_person ON link_codes (person);
CREATE INDEX ix_ratings_game_key_pool ON ratings (game_key, pool);
CREATE INDEX ix_members_person ON members (person);
CREATE INDEX ix_people_same_as ON people (same_as);
CREATE INDEX ix_places_platform_group_id ON places (platform, group_id);
CREATE INDEX ix_results_person_game_key_ended_at ON results (person, game_key, ended_at);
CREATE INDEX ix_room_messages_author ON room_messages (author);
CREATE INDEX ix_room_messages_recipient ON room_messages (recipient);
CREATE INDEX ix_games_alarm_at ON games (alarm_at) WHERE alarm_at IS NOT NULL;
CREATE INDEX ix_games_thinking ON games (waiting_since) WHERE thinking = 1;
CREATE INDEX ix_games_live ON games (status) WHERE status <> 'over';
CREATE INDEX ix_surfaces_due ON surfaces (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_surfaces_place_message ON surfaces (place, message);
CREATE INDEX ix_surfaces_waiting ON surfaces (place) WHERE waiting;
CREATE INDEX ix_notice_choices_person ON notice_choices (person);
CREATE INDEX ix_notices_due ON notices (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_notices_game ON notices (game);
CREATE INDEX ix_notices_made_at ON notices (made_at);
CREATE INDEX ix_bars_person ON bars (person);
CREATE INDEX ix_bars_place ON bars (place);
CREATE INDEX ix_bars_until ON bars (until) WHERE until IS NOT NULL;
CREATE INDEX ix_room_drawings_change_size ON room_drawings (change, size);
CREATE INDEX ix_room_pictures_digest ON room_pictures (digest);
CREATE INDEX ix_tries_planned ON tries (game) WHERE planned = 1;
CREATE INDEX ix_tries_touched_at ON tries (touched_at);
CREATE UNIQUE INDEX ix_events_planned ON events (game, cause) WHERE cause LIKE 'plan:%';
CREATE INDEX ix_puzzle_attempts_puzzle ON puzzle_attempts (puzzle);
CREATE INDEX ix_puzzle_places_attempt ON puzzle_places (attempt);
CREATE INDEX ix_dailies_due_at ON dailies (due_at);
CREATE INDEX ix_daily_messages_due ON daily_messages (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_daily_messages_posted_at ON daily_messages (posted_at);
CREATE INDEX ix_daily_messages_puzzle ON daily_messages (puzzle);
CREATE INDEX ix_daily_messages_waiting ON daily_messages (place) WHERE waiting = 1;
CREATE INDEX ix_competitions_due ON competitions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_competitions_maker ON competitions (maker);
CREATE INDEX ix_competitions_place ON competitions (place);
CREATE INDEX ix_competition_events_person ON competition_events (person);
CREATE INDEX ix_competition_places_due ON competition_places (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_competition_places_place ON competition_places (place);
CREATE INDEX ix_entrants_place ON entrants (place);
CREATE INDEX ix_entrants_person_rank ON entrants (person, rank);
CREATE INDEX ix_passes_until ON passes (until) WHERE until IS NOT NULL;
COMMIT;
